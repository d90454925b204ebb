import { expect, test } from 'vitest'
import { until } from '../support/run/until.ts'
import { freshService } from './fault-test.ts'
import { judgeInvariants } from './invariants.ts'

test('a clock put back by three hours: nobody is silent, and the next tick is one run for each monitor', async () => {
  const service = await freshService()
  await Promise.all([service.worker(), service.worker()])
  await service.underLoad(async () => {
    await service.rounds(1)
    // A delivery whose next attempt lies five minutes ahead.
    service.sink.answerWith(500)
    await until(service.unsent, (unsent) => unsent.some(({ status }) => status === 'failed'))
    service.sink.answerWith(204)
    await service.setClock('-3 hours')
    await service.rounds(2)
  })
  // What failed would else wait for three hours and five minutes.
  await until(
    () =>
      service.query<{ most: number }>(
        `select coalesce(max(extract(epoch from due_at - clock())), 0)::int as most from deliveries where due_at ` +
          `is not null`,
      ),
    ([ahead]) => (ahead?.most ?? Infinity) <= 330,
  )
  await service.setClock('-2 hours 54 minutes')
  await service.caughtUp()
  await judgeInvariants(service, { faults: 2 })
  expect(await service.unsent()).toEqual([])
})

test('a clock that was put back while no worker ran: the first one to start sees to it', async () => {
  const service = await freshService()
  const worker = await service.worker()
  await service.underLoad(() => service.rounds(1))
  await service.caughtUp()
  worker.signal('SIGTERM')
  await worker.exited
  await service.setClock('-9 hours')
  await service.worker()
  await service.underLoad(() => service.rounds(1))
  await service.caughtUp()
  await judgeInvariants(service)
})

test(
  'a clock that leaps ahead by hours and by months, and back: what was missed is one run for each monitor, no ' +
    'burst.',
  async () => {
    const service = await freshService()
    await Promise.all([service.worker(), service.worker()])
    const leaps = ['5 hours', '95 days', '1 hour']
    await service.underLoad(async () => {
      for (const offset of leaps) {
        await service.rounds(1)
        const before = await service.runs()
        const from = performance.now()
        await service.setClock(offset)
        await service.rounds(1)
        const after = await service.runs()
        // Besides the one that makes up for what was missed, as many as the seconds since allow.
        const fair = service.monitors * (2 + (performance.now() - from) / 1000 / service.intervalSeconds)
        expect(after - before).toBeLessThanOrEqual(fair)
      }
    })
    await service.caughtUp()
    await judgeInvariants(service, { faults: leaps.length })
  },
)
