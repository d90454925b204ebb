import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../support/database/test-database.ts'
import { runCli } from '../support/process/cli-process.ts'
import { describeIf, hasProgram } from '../support/run/skip.ts'
import { freshService } from './fault-test.ts'
import { judgeInvariants } from './invariants.ts'
import { startPgBouncer } from './pgbouncer.ts'

describeIf(hasProgram('pgbouncer'), 'install pgbouncer')('behind PgBouncer', () => {
  test('that is killed and started again, in session mode: nothing is lost or made twice', async () => {
    const service = await freshService()
    const pooler = await startPgBouncer(service.url, { mode: 'session', poolSize: 12 })
    onTestFinished(() => pooler[Symbol.asyncDispose]())
    await Promise.all([service.worker({ url: pooler.url }), service.worker({ url: pooler.url })])
    await service.underLoad(async () => {
      await service.rounds(1)
      for (let n = 0; n < 3; n++) {
        await pooler.restart()
        await service.rounds(1)
      }
    })
    // A webhook that was claimed when the pooler died waits for its lease of half a minute.
    await service.setClock('31 seconds')
    await service.caughtUp()
    await judgeInvariants(service, { faults: 4 })
  })

  test.each([
    [
      'in transaction mode',
      { mode: 'transaction' },
      'a pooler before it gives each transaction another connection; set pool_mode = session in PgBouncer, or ' +
        'connect to Postgres itself',
    ],
    [
      'that refuses what a connection begins with',
      { ignores: [] },
      'it is a pooler that refuses settings of a connection; put ignore_startup_parameters = options, ' +
        'statement_timeout, idle_in_transaction_session_timeout into the settings of PgBouncer',
    ],
  ] as const)('%s, a process ends at its start and says what to set', async (_how, options, advice) => {
    const database = await createTestDatabase()
    onTestFinished(() => database.drop())
    await using pooler = await startPgBouncer(database.url, { mode: 'session', poolSize: 12, ...options })
    const { code, stderr } = await runCli(['worker'], {
      DATABASE_URL: pooler.url,
      TIDEMARK_ENCRYPTION_KEY: 'the encryption key of a fault test',
    })
    expect(code).toBe(1)
    expect(stderr).toContain(`cannot be used: ${advice}`)
  })
})
