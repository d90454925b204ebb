import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { notifyOfEvents } from '../../../store/deliveries/notify-of-events.ts'
import { openQueueDatabase } from '../../support/database/queue-database.ts'
import { shared } from '../../support/run/shared.ts'

const database = shared(openQueueDatabase)

test('an event whose messages cannot be made holds up no other, and is given up after five tries', async () => {
  const [broken, sound] = [await database.team(), await database.team()]
  for (const team of [broken, sound])
    await database.query(`insert into notice_events (team_id, kind, key) values ($1, 'quota', $2)`, [
      team,
      randomUUID(),
    ])
  const tried: string[] = []
  const refused: [string, boolean][] = []
  const notify = () =>
    notifyOfEvents(
      database.store,
      ({ event }) => {
        tried.push(event.team_id)
        if (event.team_id === broken) throw new Error('a bug')
        return []
      },
      ({ kind }, _error, isGivenUp) => refused.push([kind, isGivenUp]),
    )
  expect(await notify()).toBe(2)
  expect(tried.filter((team) => team === sound)).toHaveLength(1)
  for (let n = 0; n < 8; n++) {
    await database.query('update notice_events set due_at = clock() where due_at is not null')
    await notify()
  }
  expect(tried.filter((team) => team === sound)).toHaveLength(1)
  expect(refused).toEqual([1, 2, 3, 4, 5].map((nth) => ['quota', nth === 5]))
  expect(await database.query('select 1 from notice_events where due_at is not null')).toEqual([])
})
