import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BreakablePostgres, startBreakablePostgres } from './breakable-postgres.ts'
import { judgeInvariants } from './invariants.ts'
import { openFaultWorld } from './world.ts'

let postgres: BreakablePostgres
beforeAll(async () => {
  postgres = await startBreakablePostgres()
})
afterAll(() => postgres[Symbol.asyncDispose]())

test('Postgres killed and started again under load, and its sessions ended at random: workers live on, and nothing is lost or told twice.', async () => {
  await using world = await openFaultWorld({ url: postgres.url })
  const workers = await Promise.all([world.worker(), world.worker()])
  await world.underLoad(async () => {
    await world.rounds(2)
    await postgres.kill()
    await postgres.start()
    await world.rounds(1)
    await postgres.stopAtOnce()
    await postgres.start()
    for (let n = 0; n < 10; n++) {
      await world.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where usename like 'worker%' order by md5(pid::text || $1) limit 2`,
        [String(world.chance.below(1e9))],
      )
      await world.rounds(0.2)
    }
  })
  // Webhooks whose outcome was under way keep their lease of half a minute when their record is given up; none should be.
  expect(await world.caughtUp()).toBeLessThan(15_000)
  await judgeInvariants(world)
  for (const worker of workers) {
    worker.signal('SIGTERM')
    expect(await worker.exited).toBe(0)
  }
})
