import { expect, test } from 'vitest'
import { renewPeriods } from '../../../store/quota/pool.ts'
import { openQueueDatabase } from '../../support/database/queue-database.ts'
import { shared } from '../../support/run/shared.ts'

const database = shared(openQueueDatabase)

test('a new period begins with no calls of the model; a period that has not ended keeps its own', async () => {
  const [ended, open] = [await database.team(), await database.team()]
  await database.query(`update team_usage set llm_calls_used = 40, resets_at = clock() + interval '1 day'`)
  await database.query(`update team_usage set resets_at = clock() where team_id = $1`, [ended])
  await renewPeriods(database.store)
  const calls = async (team: string) =>
    (
      await database.query<{ n: number }>('select llm_calls_used::int as n from team_usage where team_id = $1', [team])
    )[0]?.n
  expect([await calls(ended), await calls(open)]).toEqual([0, 40])
})
