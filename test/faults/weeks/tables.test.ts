import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../../support/database/test-database.ts'
import { BOUNDS, measureStore } from './tables.ts'

// The weeks themselves are among the faults, which not every run has: a new table is to fail at once.
test('each table of the store has its bound for the weeks, and each bound its table', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  onTestFinished(() => client.end())
  const { tables } = await measureStore(async (text) => (await client.query(text)).rows)
  expect(Object.keys(tables).toSorted()).toEqual(Object.keys(BOUNDS).toSorted())
})
