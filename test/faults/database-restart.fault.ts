import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BreakablePostgres, startBreakablePostgres } from '../support/database/breakable-postgres.ts'
import { until } from '../support/run/until.ts'
import { openApi, unexpected } from './api-process.ts'
import { openFaultService } from './fault-service.ts'
import { judgeInvariants } from './invariants.ts'
import { refusals } from './refusals.ts'

let postgres: BreakablePostgres
beforeAll(async () => {
  postgres = await startBreakablePostgres()
})
afterAll(() => postgres[Symbol.asyncDispose]())

test(
  'Postgres killed and started again under load, and its sessions ended at random: workers and the API live on, ' +
    'and nothing is lost or reported twice.',
  async () => {
    await using service = await openFaultService({ url: postgres.url })
    await using api = await openApi({ adminUrl: postgres.url })
    const workers = await Promise.all([service.worker(), service.worker()])
    const over = new AbortController()
    const answers = api.callUntil(over.signal, '/v1/monitors')
    await service.underLoad(async () => {
      await service.rounds(2)
      await postgres.kill()
      await until(
        () => api.call('GET', '/v1/monitors'),
        ({ status }) => status === 503,
      )
      await until(
        () => Math.min(...workers.map(refusals)),
        (times) => times > 0,
      )
      await postgres.start()
      await service.rounds(1)
      await postgres.stopAtOnce()
      await postgres.start()
      for (let n = 0; n < 10; n++) {
        await service.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where usename like 'worker%' order by ` +
            `md5(pid::text || $1) limit 2`,
          [String(service.chance.below(1e9))],
        )
        await service.rounds(0.2)
      }
      const [last] = await service.query<{ seq: string }>('select max(seq) as seq from fault.checks_log')
      await until(
        () =>
          service.query(`select distinct who from fault.check_steps where step = 'claim' and seq > $1`, [last?.seq]),
        (claimants) => claimants.length === workers.length,
      )
    })
    // Webhooks whose outcome was under way keep their lease of half a minute when their record is given up; none should
    // be.
    await service.caughtUp()
    await until(
      () => api.call('GET', '/v1/monitors'),
      ({ status }) => status === 200,
    )
    over.abort()
    expect(unexpected(await answers, 200)).toEqual([])
    await judgeInvariants(service)
    for (const process of [...workers, api]) {
      process.signal('SIGTERM')
      expect(await process.exited).toBe(0)
    }
  },
)
