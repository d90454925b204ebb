import { expect, test } from 'vitest'
import { freshWorld } from './fault-test.ts'
import { judgeInvariants } from './invariants.ts'
import { until } from './until.ts'

test('without a fault each run is recorded once, and each webhook is sent once', async () => {
  const world = await freshWorld()
  await Promise.all([world.worker(), world.worker()])
  await world.underLoad(() => world.rounds(3))
  await world.caughtUp()
  await judgeInvariants(world)
})

test('workers killed in the middle of checks, one after the other: all their runs end, none twice', async () => {
  const world = await freshWorld()
  let [first, second] = await Promise.all([world.worker(), world.worker()])
  await world.underLoad(async () => {
    for (let kills = 0; kills < 3; kills++) {
      world.pages.hold()
      await until(
        () => world.pages.waiting,
        (waiting) => waiting > 3,
      )
      first.signal('SIGKILL')
      expect(await first.exited).toBe(null)
      world.pages.letGo()
      ;[first, second] = [second, await world.worker()]
    }
  })
  await world.caughtUp()
  await judgeInvariants(world)
})

test(
  'a worker killed at a moment of chance, again and again: no run and no webhook is lost, and none more than ' +
    'repeated.',
  async () => {
    const world = await freshWorld()
    const kills = 4
    let [first, second] = await Promise.all([world.worker(), world.worker()])
    await world.underLoad(async () => {
      for (let n = 0; n < kills; n++) {
        const moment = world.pages.requests() + 1 + world.chance.below(world.monitors * 2)
        await until(
          () => world.pages.requests(),
          (seen) => seen >= moment,
        )
        first.signal('SIGKILL')
        ;[first, second] = [second, await world.worker()]
      }
    })
    // Webhooks that were under way are leased for half a minute. Ending it takes it from those of the living, too.
    await world.setClock('31 seconds')
    await world.caughtUp()
    await judgeInvariants(world, { faults: kills + 1 })
  },
)

test(
  'a worker killed in the middle of deliveries: they arrive once more under the same id when their lease ends, ' +
    'and are done.',
  async () => {
    const world = await freshWorld()
    const worker = await world.worker()
    // A destination that has answered well is sent more than one at a time.
    await world.underLoad(() => world.rounds(2).then(() => world.sink.hold()))
    await until(
      () => world.sink.waiting,
      (waiting) => waiting > 5,
    )
    worker.signal('SIGKILL')
    await worker.exited
    world.sink.letGo()
    const [claimed] = await world.query<{ n: number }>(
      `select count(*)::int as n from deliveries where status = 'pending'`,
    )
    expect(claimed?.n).toBeGreaterThan(5)
    await world.setClock('31 seconds')
    await world.worker()
    await world.caughtUp()
    const twice = Map.groupBy(world.sink.arrivals, ({ id }) => id)
    expect([...twice.values()].filter((same) => same.length === 2).length).toBeGreaterThan(5)
    await judgeInvariants(world, { faults: 1 })
  },
)
