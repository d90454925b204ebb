import { expect, test } from 'vitest'
import { until } from '../support/run/until.ts'
import type { FaultService } from './fault-service.ts'
import { freshService } from './fault-test.ts'
import { judgeInvariants } from './invariants.ts'

/** What a worker has claimed and not recorded: checks and deliveries. */
async function heldBy({ query }: FaultService, role: string) {
  const [held] = await query<{ checks: number; deliveries: number }>(
    `select (select count(*)::int from checks c join fault.check_steps s on s.step = 'claim' and s.no = c.no
      and s.fence = c.fence
         where c.run_id is not null and s.who = $1) as checks,
       (select count(*)::int from deliveries d join fault.delivery_steps s on s.step = 'claim' and s.id = d.id
         and s.fence = d.fence
         where s.who = $1) as deliveries`,
    [role],
  )
  return held ?? { checks: 0, deliveries: 0 }
}

test(
  'workers replaced one by one by SIGTERM under load: each drains and ends well within 25 s, and nothing is lost ' +
    'or sent twice.',
  async () => {
    // Longer than the test takes: what is left to its lease is not done.
    const service = await freshService({ leaseSeconds: 300 })
    service.pages.slowDown(600)
    service.sink.slowDown(2_500)
    let [old, other] = await Promise.all([service.worker(), service.worker()])
    await service.underLoad(async () => {
      for (let n = 0; n < 3; n++) {
        await until(
          () => heldBy(service, old.role),
          ({ checks, deliveries }) => checks > 1 && deliveries > 1,
        )
        const from = performance.now()
        old.signal('SIGTERM')
        expect(await old.exited).toBe(0)
        expect(performance.now() - from).toBeLessThan(25_000)
        expect(await heldBy(service, old.role)).toEqual({ checks: 0, deliveries: 0 })
        ;[old, other] = [other, await service.worker()]
      }
    })
    await service.caughtUp()
    await judgeInvariants(service)
  },
)
