import { sql } from 'slonik'
import Type from 'typebox'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../store/db/client.ts'
import { row } from '../../../store/db/row.ts'
import { isStoreAway } from '../../../store/db/store-fault.ts'
import { openQueueDatabase } from '../../support/database/queue-database.ts'
import { createTestDatabase } from '../../support/database/test-database.ts'
import { openTcpProxy } from '../../support/network/tcp-proxy.ts'
import { eventually } from '../../support/run/eventually.ts'
import { shared } from '../../support/run/shared.ts'

const database = shared(openQueueDatabase)

const at = row({ at: Type.String() })
const number = row({ n: Type.Number() })

test('instants come as ISO 8601 in UTC with milliseconds, whatever the time zone of the server', async () => {
  const [{ name } = { name: '' }] = await database.query<{ name: string }>('select current_database() as name')
  for (const zone of ['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'America/St_Johns']) {
    await database.query(`alter database ${name} set timezone = '${zone}'`)
    const store = await database.anotherStore(1)
    const found = await store.one(sql.type(at)`select '2026-07-01T12:00:00.123456Z'::timestamptz as at`)
    expect(found.at, zone).toBe('2026-07-01T12:00:00.123Z')
  }
  await database.query(`alter database ${name} reset timezone`)
})

test('a week is 168 hours, whatever the time zone of the server', async () => {
  const [{ name } = { name: '' }] = await database.query<{ name: string }>('select current_database() as name')
  await database.query(`alter database ${name} set timezone = 'Europe/Berlin'`)
  const store = await database.anotherStore(1)
  for (const [from, to] of [
    ['2026-03-25T12:00:00.000Z', '2026-04-01T12:00:00.000Z'],
    ['2026-10-20T12:00:00.000Z', '2026-10-27T12:00:00.000Z'],
  ] as const) {
    const found = await store.one(sql.type(at)`select ${from}::timestamptz + make_interval(days => 7) as at`)
    expect(found.at).toBe(to)
  }
  await database.query(`alter database ${name} reset timezone`)
})

test('bigint comes as a number, json parsed', async () => {
  const both = row({ n: Type.Number(), j: Type.Unknown() })
  expect(await database.store.one(sql.type(both)`select 1099511627775::bigint as n, '{"a":[1]}'::jsonb as j`)).toEqual({
    n: 1_099_511_627_775,
    j: { a: [1] },
  })
})

test('a row that is not of the shape of its statement is refused', async () => {
  await expect(database.store.one(sql.type(number)`select 'x' as n`)).rejects.toThrow('schema')
})

test('a connection that the server ends is a fault of the moment; the pool goes on', async () => {
  const store = await database.anotherStore(1)
  await store.one(sql.type(number)`select 1 as n`)
  const slow = store.one(sql.type(number)`select 1 as n from pg_sleep(60)`)
  const ended = slow.then(
    () => 'an answer',
    (error: unknown) => error,
  )
  const victims =
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like ` +
    `'%pg_sleep(60)%' and pid <> pg_backend_pid()`
  await eventually(
    () => database.query(victims),
    ({ length }) => length > 0,
  )
  expect(isStoreAway(await ended)).toBe(true)
  expect(await store.one(sql.type(number)`select 2 as n`)).toEqual({ n: 2 })
})

test('a store that goes away while it is opened is a fault of the moment, and ends no process', async () => {
  const own = await createTestDatabase()
  await using proxy = await openTcpProxy(own.url)
  const uncaught: unknown[] = []
  const keep = (error: unknown): void => void uncaught.push(error)
  process.on('uncaughtException', keep)
  onTestFinished(() => void process.off('uncaughtException', keep))
  const use = async (): Promise<unknown> => {
    const store = await openStore({ url: proxy.url, name: 'tidemark test', connections: 1 })
    try {
      return await store.one(sql.type(number)`select 1 as n`)
    } finally {
      await store.end()
    }
  }
  const faults: boolean[] = []
  // The sign-in takes some 400 bytes of answers; the driver's own questions follow.
  for (let bytes = 1; bytes < 900; bytes += 60) {
    proxy.resetAfter(bytes)
    faults.push(
      await use().then(
        () => true,
        (error: unknown) => isStoreAway(error),
      ),
    )
  }
  proxy.resetAfter(null)
  for (const statement of ['pg_type', 'select 1']) {
    proxy.resetAt(statement, 'unanswered')
    faults.push(
      await use().then(
        () => false,
        (error: unknown) => isStoreAway(error),
      ),
    )
  }
  proxy.resetAt(null)
  expect(await use()).toEqual({ n: 1 })
  await own.drop()
  expect([uncaught, faults.filter((isExpected) => !isExpected)]).toEqual([[], []])
}, 60_000)

test('the clock follows the setting of the database at once, in sessions that are open', async () => {
  const read = async () => Date.parse((await database.store.one(sql.type(at)`select clock() as at`)).at) - Date.now()
  await database.setClock('3 days')
  expect(Math.abs((await read()) - 3 * 86_400_000)).toBeLessThan(5_000)
  await database.setClock('-1 hour')
  expect(Math.abs((await read()) + 3_600_000)).toBeLessThan(5_000)
  await database.setClock('0')
  expect(Math.abs(await read())).toBeLessThan(5_000)
})
