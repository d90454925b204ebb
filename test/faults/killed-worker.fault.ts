import { expect, test } from 'vitest'
import { until } from '../support/run/until.ts'
import { freshService } from './fault-test.ts'
import { judgeInvariants } from './invariants.ts'

test('without a fault each run is recorded once, and each webhook is sent once', async () => {
  const service = await freshService()
  await Promise.all([service.worker(), service.worker()])
  await service.underLoad(() => service.rounds(3))
  await service.caughtUp()
  await judgeInvariants(service)
})

test('workers killed in the middle of checks, one after the other: all their runs end, none twice', async () => {
  const service = await freshService()
  let [first, second] = await Promise.all([service.worker(), service.worker()])
  await service.underLoad(async () => {
    for (let kills = 0; kills < 3; kills++) {
      service.pages.hold()
      await until(
        () => service.pages.waiting,
        (waiting) => waiting > 3,
      )
      first.signal('SIGKILL')
      expect(await first.exited).toBe(null)
      service.pages.letGo()
      ;[first, second] = [second, await service.worker()]
    }
  })
  await service.caughtUp()
  await judgeInvariants(service)
})

test(
  'a worker killed at a moment of chance, again and again: no run and no webhook is lost, and none more than ' +
    'repeated.',
  async () => {
    const service = await freshService()
    const kills = 4
    let [first, second] = await Promise.all([service.worker(), service.worker()])
    await service.underLoad(async () => {
      for (let n = 0; n < kills; n++) {
        const moment = service.pages.requests() + 1 + service.chance.below(service.monitors * 2)
        await until(
          () => service.pages.requests(),
          (seen) => seen >= moment,
        )
        first.signal('SIGKILL')
        ;[first, second] = [second, await service.worker()]
      }
    })
    // Webhooks that were under way are leased for half a minute. Ending it takes it from those of the living, too.
    await service.setClock('31 seconds')
    await service.caughtUp()
    await judgeInvariants(service, { faults: kills + 1 })
  },
)

test(
  'a worker killed in the middle of deliveries: they arrive once more under the same id when their lease ends, ' +
    'and are done.',
  async () => {
    const service = await freshService()
    const worker = await service.worker()
    // A destination that has answered well is sent more than one at a time.
    await service.underLoad(() => service.rounds(2).then(() => service.sink.hold()))
    await until(
      () => service.sink.waiting,
      (waiting) => waiting > 5,
    )
    worker.signal('SIGKILL')
    await worker.exited
    service.sink.letGo()
    const claimed = (await service.unsent()).filter(({ status }) => status === 'pending')
    expect(claimed.length).toBeGreaterThan(5)
    await service.setClock('31 seconds')
    await service.worker()
    await service.caughtUp()
    const twice = Map.groupBy(service.sink.arrivals, ({ id }) => id)
    expect([...twice.values()].filter((same) => same.length === 2).length).toBeGreaterThan(5)
    await judgeInvariants(service, { faults: 1 })
  },
)
