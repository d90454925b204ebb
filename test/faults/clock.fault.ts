import { expect, test } from 'vitest'
import { freshWorld } from './fault-test.ts'
import { judgeInvariants } from './invariants.ts'
import { until } from './until.ts'

test('a clock put back by three hours: nobody is silent, and the next tick is one run for each monitor', async () => {
  const world = await freshWorld()
  await Promise.all([world.worker(), world.worker()])
  await world.underLoad(async () => {
    await world.rounds(1)
    // A delivery whose next attempt lies five minutes ahead.
    world.sink.answerWith(500)
    await until(
      () => world.query(`select id from deliveries where status = 'failed'`),
      (failed) => failed.length > 0,
    )
    world.sink.answerWith(204)
    await world.setClock('-3 hours')
    await world.rounds(2)
  })
  // What failed would else wait for three hours and five minutes.
  await until(
    () =>
      world.query<{ most: number }>(
        `select coalesce(max(extract(epoch from due_at - clock())), 0)::int as most from deliveries where due_at ` +
          `is not null`,
      ),
    ([ahead]) => (ahead?.most ?? Infinity) <= 330,
  )
  await world.setClock('-2 hours 54 minutes')
  await world.caughtUp()
  await judgeInvariants(world, { faults: 2 })
  expect(await world.query(`select id from deliveries where status <> 'success'`)).toEqual([])
})

test('a clock that was put back while no worker ran: the first one to start sees to it', async () => {
  const world = await freshWorld()
  const worker = await world.worker()
  await world.underLoad(() => world.rounds(1))
  await world.caughtUp()
  worker.signal('SIGTERM')
  await worker.exited
  await world.setClock('-9 hours')
  await world.worker()
  await world.underLoad(() => world.rounds(1))
  await world.caughtUp()
  await judgeInvariants(world)
})

test(
  'a clock that leaps ahead by hours and by months, and back: what was missed is one run for each monitor, no ' +
    'burst.',
  async () => {
    const world = await freshWorld()
    await Promise.all([world.worker(), world.worker()])
    const leaps = ['5 hours', '95 days', '1 hour']
    await world.underLoad(async () => {
      for (const offset of leaps) {
        await world.rounds(1)
        const [before] = await world.query<{ runs: number }>('select count(*)::int as runs from runs')
        const from = performance.now()
        await world.setClock(offset)
        await world.rounds(1)
        const [after] = await world.query<{ runs: number }>('select count(*)::int as runs from runs')
        // Besides the one that makes up for what was missed, as many as the seconds since allow.
        const fair = world.monitors * (2 + (performance.now() - from) / 1000 / world.intervalSeconds)
        expect((after?.runs ?? 0) - (before?.runs ?? 0)).toBeLessThanOrEqual(fair)
      }
    })
    await world.caughtUp()
    await judgeInvariants(world, { faults: leaps.length })
  },
)
