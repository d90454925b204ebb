import { expect, test } from 'vitest'
import { until } from '../support/run/until.ts'
import { freshService } from './fault-test.ts'
import { judgeInvariants } from './invariants.ts'

const REAL_LEASE_SECONDS = 60

test(
  'with the lease that people run with: what a killed worker had under way, checks and deliveries, is done within ' +
    '90 s.',
  async () => {
    const service = await freshService({ leaseSeconds: REAL_LEASE_SECONDS, monitors: 20 })
    // Alone, so that it is the one that holds what waits.
    const doomed = await service.worker()
    await service.underLoad(async () => {
      await service.rounds(3)
      service.sink.hold()
      await until(
        () => service.sink.waiting,
        (waiting) => waiting > 3,
      )
      service.pages.hold()
      await until(
        () => service.pages.waiting,
        (waiting) => waiting > service.monitors / 2,
      )
    })
    doomed.signal('SIGKILL')
    await doomed.exited
    const from = performance.now()
    const [left] = await service.query<{ n: number }>(
      `select count(*)::int as n from checks where run_id is not null and fence = (
       select fence from fault.check_steps s where s.step = 'claim' and s.who = $1 and s.no = checks.no
         order by seq desc limit 1)`,
      [doomed.role],
    )
    expect(left?.n).toBeGreaterThan(service.monitors / 2)
    const sent = service.sink.arrivals.length
    service.sink.letGo()
    service.pages.letGo()
    await service.worker()
    await service.caughtUp(120_000)
    await until(service.unsent, (open) => open.length === 0)
    const ms = performance.now() - from
    process.stdout.write(`back after ${(ms / 1000).toFixed(1)} s with a lease of ${REAL_LEASE_SECONDS} s\n`)
    // Nobody may take what is held under a lease before it ends.
    expect(ms).toBeGreaterThan(30_000)
    expect(ms).toBeLessThan(90_000)
    const again = Map.groupBy(service.sink.arrivals.slice(sent), ({ id }) => id)
    expect(service.sink.arrivals.slice(0, sent).filter(({ id }) => again.has(id)).length).toBeGreaterThan(3)
    await judgeInvariants(service, { faults: 1 })
  },
)
