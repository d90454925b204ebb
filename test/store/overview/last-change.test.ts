import { expect, test } from 'vitest'
import { openQueueDatabase } from '../../support/database/queue-database.ts'

test('no index has the last change, so that the update of a check touches none', async () => {
  await using database = await openQueueDatabase()
  const indexed = await database.query(
    `select indexdef from pg_indexes where tablename = 'checks' and indexdef like '%last_change_id%'`,
  )
  expect(indexed).toEqual([])
})
