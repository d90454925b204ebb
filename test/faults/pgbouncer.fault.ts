import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { STARTUP_PARAMETERS } from '../../store/db/connection-fault.ts'
import { createTestDatabase } from '../support/database/test-database.ts'
import { DOC_BLOCKS } from '../support/docs/doc-blocks.ts'
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

  test('drops settings of a connection, which docs/postgres.md gives to the role', async () => {
    const database = await createTestDatabase()
    onTestFinished(() => database.drop())
    await using pooler = await startPgBouncer(database.url, { mode: 'session', poolSize: 12 })
    const [settings, statements] = ['ini', 'sql'].map(
      (name) => DOC_BLOCKS.find(({ page, language }) => page === 'postgres.md' && language === name)?.text ?? '',
    )
    expect(settings).toContain(`ignore_startup_parameters = ${STARTUP_PARAMETERS.join(', ')}`)
    const role = `pooled_${process.pid}`
    const admin = new pg.Client({ connectionString: database.url })
    await admin.connect()
    await admin.query(`create role ${role} login password 'throwaway'`)
    onTestFinished(() => admin.query(`drop role ${role}`).then(() => admin.end()))
    await admin.query((statements ?? '').replaceAll('alter role tidemark', `alter role ${role}`))
    const url = new URL(pooler.url)
    url.username = role
    url.password = 'throwaway'
    const client = new pg.Client({ connectionString: url.href, statement_timeout: 1_000 })
    await client.connect()
    const { rows } = await client.query(`
      select current_setting('statement_timeout') as statement, current_setting('timezone') as zone,
        current_setting('idle_in_transaction_session_timeout') as idle`)
    await client.end()
    expect(rows).toEqual([{ statement: '30s', zone: 'UTC', idle: '30s' }])
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
