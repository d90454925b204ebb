import { afterAll, beforeAll, expect, test } from 'vitest'
import { renewPeriods } from '../../../store/quota/pool.ts'
import { openQueueWorld, type QueueWorld } from '../queue/queue-world.ts'

let world: QueueWorld
beforeAll(async () => {
  world = await openQueueWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

test('a new period begins with no calls of the model; a period that has not ended keeps its own', async () => {
  const [ended, open] = [await world.team(), await world.team()]
  await world.query(`update team_usage set llm_calls_used = 40, resets_at = clock() + interval '1 day'`)
  await world.query(`update team_usage set resets_at = clock() where team_id = $1`, [ended])
  await renewPeriods(world.store)
  const calls = async (team: string) =>
    (await world.query<{ n: number }>('select llm_calls_used::int as n from team_usage where team_id = $1', [team]))[0]
      ?.n
  expect([await calls(ended), await calls(open)]).toEqual([0, 40])
})
