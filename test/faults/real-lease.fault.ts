import { expect, test } from 'vitest'
import { freshWorld } from './fault-test.ts'
import { judgeInvariants } from './invariants.ts'
import { until } from './until.ts'

const REAL_LEASE_SECONDS = 60

test(
  'with the lease that people run with: what a killed worker had under way, checks and deliveries, is done within ' +
    '90 s.',
  async () => {
    const world = await freshWorld({ leaseSeconds: REAL_LEASE_SECONDS, monitors: 20 })
    // Alone, so that it is the one that holds what waits.
    const doomed = await world.worker()
    await world.underLoad(async () => {
      await world.rounds(3)
      world.sink.hold()
      await until(
        () => world.sink.waiting,
        (waiting) => waiting > 3,
      )
      world.pages.hold()
      await until(
        () => world.pages.waiting,
        (waiting) => waiting > world.monitors / 2,
      )
    })
    doomed.signal('SIGKILL')
    await doomed.exited
    const from = performance.now()
    const [left] = await world.query<{ n: number }>(
      `select count(*)::int as n from checks where run_id is not null and fence = (
       select fence from fault.check_steps s where s.step = 'claim' and s.who = $1 and s.no = checks.no
         order by seq desc limit 1)`,
      [doomed.role],
    )
    expect(left?.n).toBeGreaterThan(world.monitors / 2)
    const sent = world.sink.arrivals.length
    world.sink.letGo()
    world.pages.letGo()
    await world.worker()
    await world.caughtUp(120_000)
    await until(
      () => world.query(`select id from deliveries where status <> 'success'`),
      (open) => open.length === 0,
    )
    const ms = performance.now() - from
    process.stdout.write(`back after ${(ms / 1000).toFixed(1)} s with a lease of ${REAL_LEASE_SECONDS} s\n`)
    // Nobody may take what is held under a lease before it ends.
    expect(ms).toBeGreaterThan(30_000)
    expect(ms).toBeLessThan(90_000)
    const again = Map.groupBy(world.sink.arrivals.slice(sent), ({ id }) => id)
    expect(world.sink.arrivals.slice(0, sent).filter(({ id }) => again.has(id)).length).toBeGreaterThan(3)
    await judgeInvariants(world, { faults: 1 })
  },
)
