import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { readBacklog } from '../../../store/maintenance/backlog.ts'
import { noteUnrendered } from '../../../store/maintenance/unrendered.ts'
import { openQueueWorld, type QueueWorld } from '../queue/queue-world.ts'

let world: QueueWorld
beforeAll(async () => {
  world = await openQueueWorld()
})
beforeEach(() => world.query('update checks set due_at = null'))
afterAll(() => world[Symbol.asyncDispose]())

const events = (team: string) =>
  world.query('select kind, monitor_no, detail from notice_events where team_id = $1', [team])

test('checks that wait long for a browser are counted, and their team gets one notice', async () => {
  const [team, spent] = [await world.team(), await world.team({ runs: 1, used: 1 })]
  await world.monitors(team, { queue: 'browser', dueSeconds: 700, interval: 60 })
  await world.monitors(team, { queue: 'visual', dueSeconds: 8_000, interval: 2_000 })
  expect(await noteUnrendered(world.store)).toMatchObject({ count: 2 })
  expect(await readBacklog(world.store)).toMatchObject({ checks_unrendered: 2 })
  // A browser that is only busy, one that is soon due again, no need of a browser, and no runs left.
  await world.monitors(team, { queue: 'browser', dueSeconds: 500, interval: 60 })
  await world.monitors(team, { queue: 'visual', dueSeconds: 5_000, interval: 2_000 })
  await world.monitors(team, { queue: 'static', dueSeconds: 9_000, interval: 60 })
  await world.monitors(spent, { queue: 'browser', dueSeconds: 9_000, interval: 60 })
  const { count, oldest_seconds: oldest } = await noteUnrendered(world.store)
  expect(count).toBe(2)
  expect(oldest).toBeCloseTo(8_000, -2)
  expect(await events(team)).toEqual([{ kind: 'failing', monitor_no: null, detail: { waiting_for_browser: 2 } }])
  expect(await events(spent)).toEqual([])
})

test('no check waits for a browser: nothing is reported', async () => {
  const team = await world.team()
  await world.monitors(team, { dueSeconds: 9_000, interval: 60 })
  expect(await noteUnrendered(world.store)).toEqual({ count: 0, oldest_seconds: 0 })
  expect(await readBacklog(world.store)).toMatchObject({ checks_unrendered: 0 })
  expect(await events(team)).toEqual([])
})
