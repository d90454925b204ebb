import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrate } from '../../../store/db/migrate.ts'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts'
import { runOn } from '../../support/database/test-template.ts'
import { freePort } from '../../support/network/free-port.ts'
import { temporaryFolder } from '../../support/process/temporary-folder.ts'
import { checkIn, found, reportOf } from './report-of.ts'

let database: TestDatabase
let empty: TestDatabase
beforeAll(async () => {
  ;[database, empty] = await Promise.all([createTestDatabase(), createEmptyDatabase()])
})
afterAll(() => Promise.all([database.drop(), empty.drop()]))

const settings = (url: string) => ({ DATABASE_URL: url, TIDEMARK_ENCRYPTION_KEY: 'the key of a test' })

test('a database of this version, with its clock', async () => {
  const report = await reportOf(settings(database.url))
  expect(checkIn(report, 'postgres')).toMatchObject({
    status: 'ok',
    what: expect.stringMatching(/^Postgres \d+\S* answers\.$/),
  })
  expect(checkIn(report, 'migrations').what).toBe('The database has the schema of this version.')
  expect(checkIn(report, 'clock')).toMatchObject({ status: 'ok', what: expect.stringContaining('clock') })
})

test('an empty database lacks its migrations, and stays empty', async () => {
  for (const again of [1, 2])
    expect([again, await found('migrations', settings(empty.url))]).toMatchObject([
      again,
      {
        status: 'warning',
        what: expect.stringMatching(/^\d+ migrations are missing, from 000001-\S+ on\.$/),
        advice: expect.stringContaining('./tidemark migrate'),
      },
    ])
})

describe('a database that', () => {
  let other: TestDatabase
  beforeAll(async () => {
    other = await createEmptyDatabase()
    await migrate(other.url)
  })
  afterAll(() => other.drop())

  test('has a clock that is moved', async () => {
    const name = new URL(other.url).pathname.slice(1)
    await runOn(other.url, `alter database ${name} set tidemark.clock_offset = '3 days'`)
    expect(await found('clock', settings(other.url))).toMatchObject({
      status: 'warning',
      what: expect.stringContaining('moved by 259200 s'),
    })
    await runOn(other.url, `alter database ${name} reset tidemark.clock_offset`)
  })

  test('has another text of a migration', async () => {
    await runOn(other.url, `update migrations set checksum = 'x' where name like '000001%'`)
    expect(await found('migrations', settings(other.url))).toMatchObject({
      status: 'failed',
      what: expect.stringContaining('another text of 000001'),
      advice: 'Start the version that made it, or use a new database.',
    })
  })

  test('a newer version has migrated', async () => {
    await runOn(other.url, `delete from migrations`)
    await runOn(other.url, `insert into migrations (name, checksum) values ('999999-later.sql', 'x')`)
    expect(await found('migrations', settings(other.url))).toMatchObject({ status: 'warning' })
  })
})

describe('no database', () => {
  const refused = { status: 'failed', what: expect.stringContaining('nothing accepts connections there') }

  test('where nothing listens: said once', async () => {
    const url = `postgres://ada:canary-password@127.0.0.1:${await freePort()}/name`
    const report = await reportOf(settings(url))
    expect(checkIn(report, 'postgres')).toMatchObject(refused)
    expect(checkIn(report, 'postgres').advice).toBe('Start Postgres, or correct the host and the port in DATABASE_URL.')
    expect([report.failed, checkIn(report, 'migrations').status]).toEqual([1, 'not_set_up'])
    expect(JSON.stringify(report)).not.toContain('canary')
  })

  test('of that name', async () => {
    const url = new URL(database.url)
    url.pathname = '/no_such_database'
    expect((await found('postgres', settings(url.href))).what).toContain('no database of this name')
  })

  test('for a runner', async () => {
    const runner = { TIDEMARK_RUNNER_API_URL: 'http://127.0.0.1:1' }
    expect((await found('postgres', runner)).status).toBe('not_set_up')
  })
})

test('the limit of the database counts as a disk', async () => {
  await using folder = await temporaryFolder()
  const full = { ...settings(database.url), TIDEMARK_DATA_DIR: folder.path, TIDEMARK_DATABASE_MAX_BYTES: '1000000' }
  expect(await found('disk', full)).toMatchObject({
    status: 'failed',
    what: expect.stringMatching(/The database is \d+ % full/),
    advice: expect.stringContaining('Make room'),
  })
})
