import { sql } from 'slonik'
import { expect, test } from 'vitest'
import { keyId } from '../../../core/derived-key.ts'
import type { DeliveryConfig } from '../../../schema/monitor/delivery-config.ts'
import type { MonitorSpec } from '../../../schema/monitor/monitor.ts'
import { nothing } from '../../../store/db/row.ts'
import { isStoreAway } from '../../../store/db/store-fault.ts'
import { newDelivery } from '../../../store/deliveries/delivery-row.ts'
import { monitorSpec, PAGE_TABLE } from '../../../store/monitors/kinds/page-table.ts'
import { findMonitor } from '../../../store/monitors/monitors.ts'
import { findSigningFacts, replaceSigningSecret } from '../../../store/monitors/signing-secret.ts'
import { noteEncryptionKey } from '../../../store/secrets/encryption-key-check.ts'
import { duringRotation, reEncrypt } from '../../../store/secrets/re-encrypt.ts'
import { createSecretBox } from '../../../store/secrets/secret-box.ts'
import { openQueueDatabase, type QueueDatabase } from '../../support/database/queue-database.ts'
import { eventually } from '../../support/run/eventually.ts'
import { create } from '../monitors/stored-monitors.ts'

const KEY = 'the key of a test'
const NEWER = 'the newer key of a test'
const config = { type: 'webhook', url: 'https://example.com/hook' } as const
/** What is encrypted of a destination besides its address: the options of a service, and a body that a user wrote. */
const destinations: readonly DeliveryConfig[] = [
  config,
  { ...config, service: 'ntfy', options: { topic: 'kettle', token: 'tk_canary' }, headers: { 'X-Key': 'canary' } },
  { ...config, service: 'custom', method: 'PUT', body: '{"key": "canary", "price": "{{fields.price.after}}"}' },
]
const destinationAt = (nth: number) => destinations[nth % destinations.length] ?? config
const secretive: Partial<MonitorSpec> = {
  request_headers: { authorization: 'Bearer canary' },
  deliveries: [...destinations],
}
const ignore = () => {}

/** A monitor with everything that is encrypted, and more deliveries and notices than one batch has. */
async function filled(database: QueueDatabase) {
  const { store, secrets } = database
  await noteEncryptionKey(store, secrets)
  const teamId = await database.team()
  const { id, no } = await create(database, teamId, secretive)
  await store.transaction((tx) => replaceSigningSecret(tx, secrets, { teamId, id, graceHours: 1 }))
  const messages = { deliveries: [] as string[], notices: [] as string[] }
  for (const [outbox, ids] of Object.entries(messages) as ['deliveries' | 'notices', string[]][]) {
    const rows = Array.from({ length: 700 }, (_, nth) =>
      newDelivery({
        ...{ secrets, outbox, teamId, at: Date.now() },
        config: destinationAt(nth),
        payload: (own) => ({ id: own }),
      }),
    )
    ids.push(...rows.map((row) => row.id))
    await database.query(
      `insert into ${outbox} (id, team_id, monitor_no, ${outbox === 'notices' ? 'kind' : 'run_id'}, type, target, host,
        payload)
       select i.id, $1, $2, ${outbox === 'notices' ? `'failing'` : 'i.id'}, 'webhook', i.target, 'h', '{}'
       from unnest($3::uuid[], $4::bytea[]) as i (id, target)`,
      [teamId, no, ids, rows.map((row) => row.target)],
    )
  }
  /** Reads everything with a box, or throws. */
  const readAll = async (list: string) => {
    const box = createSecretBox(list)
    const monitor = await findMonitor(store, teamId, id, PAGE_TABLE)
    expect(monitor && monitorSpec(monitor, box)).toMatchObject(secretive)
    expect((await findSigningFacts(store, box, { teamId, id, kind: 'page' }))?.secret).toMatch(/^[0-9a-f]{64}$/)
    const [{ old } = { old: null }] = await database.query<{ old: Buffer | null }>(
      'select old_signing_secret as old from monitors where id = $1',
      [id],
    )
    const place = { teamId, column: 'monitors.old_signing_secret', rowId: id } as const
    expect(box.open(place, old ?? Buffer.of())).toMatch(/^[0-9a-f]{64}$/)
    for (const outbox of ['deliveries', 'notices'] as const) {
      const rows = await database.query<{ id: string; target: Buffer }>(`select id, target from ${outbox}`)
      expect(rows).toHaveLength(700)
      for (const { id: rowId, target } of rows) {
        const expected = destinationAt(messages[outbox].indexOf(rowId))
        expect(box.open({ teamId, column: `${outbox}.target`, rowId }, target)).toMatchObject(expected)
        expect(target.includes('canary')).toBe(false)
      }
    }
  }
  return { teamId, id, messages, readAll }
}

test('a rotation that is killed loses nothing, and the next one does the rest', async () => {
  await using database = await openQueueDatabase()
  const { readAll } = await filled(database)
  const both = createSecretBox(`${NEWER},${KEY}`)
  await noteEncryptionKey(database.store, both)
  let batches = 0
  const killed = reEncrypt(database.store, both, () => {
    batches += 1
    if (batches === 3) throw new Error('killed')
  })
  await expect(killed).rejects.toThrow('killed')
  await readAll(`${NEWER},${KEY}`)
  await expect(noteEncryptionKey(database.store, createSecretBox(NEWER))).rejects.toThrow(keyId(KEY))

  const rest = await reEncrypt(database.store, both, ignore)
  expect(rest.unreadable).toEqual([])
  expect(rest.rows).toBeGreaterThan(0)
  expect(rest.rows).toBeLessThan(1_401)
  await readAll(NEWER)
  expect(await reEncrypt(database.store, both, ignore)).toMatchObject({ rows: 0, unreadable: [] })
  await noteEncryptionKey(database.store, createSecretBox(NEWER))
}, 60_000)

test('the progress of a rotation names how many rows there are', async () => {
  await using database = await openQueueDatabase()
  await filled(database)
  const told: { readonly seen: number; readonly total: number }[] = []
  await reEncrypt(database.store, createSecretBox(`${NEWER},${KEY}`), ({ seen, total }) => told.push({ seen, total }))
  expect(new Set(told.map(({ total }) => total)).size).toBe(1)
  expect(told.at(-1)).toEqual({ seen: told[0]?.total, total: told[0]?.total })
})

test('a row that a delivery has locked is not waited for, and is done later', async () => {
  await using database = await openQueueDatabase()
  const { messages, readAll } = await filled(database)
  await using other = await lockedRow(database, messages.deliveries[0] ?? '')
  let isFreed = false
  // The notices come after the deliveries; by then the lock has made the rotation go through the deliveries again.
  const done = await reEncrypt(database.store, createSecretBox(`${NEWER},${KEY}`), ({ rows }) => {
    if (rows < 700 || isFreed) return
    isFreed = true
    other.free()
  })
  expect(isFreed).toBe(true)
  expect(done).toMatchObject({ rows: 1_401, unreadable: [] })
  await readAll(NEWER)
}, 60_000)

test('a row that stays locked is said to need the older key still', async () => {
  await using database = await openQueueDatabase()
  const { messages } = await filled(database)
  await using _ = await lockedRow(database, messages.deliveries[0] ?? '')
  const done = await reEncrypt(database.store, createSecretBox(`${NEWER},${KEY}`), ignore)
  expect(done).toMatchObject({ rows: 1_400, unreadable: [], isIncomplete: true })
}, 60_000)

test('a row that opens with no listed key is left as it is and named', async () => {
  await using database = await openQueueDatabase()
  const { id, teamId } = await filled(database)
  const foreign = createSecretBox('a key that nobody has')
  const place = { teamId, column: 'monitors.request_headers', rowId: id } as const
  const sealed = foreign.seal(place, { authorization: 'canary' })
  await database.query('update monitors set request_headers = $1 where id = $2', [sealed, id])
  const done = await reEncrypt(database.store, createSecretBox(`${NEWER},${KEY}`), ignore)
  expect(done.unreadable).toEqual([`monitors ${id}`])
  const [kept] = await database.query<{ sealed: Buffer }>(
    'select request_headers as sealed from monitors where id = $1',
    [id],
  )
  expect(foreign.open(place, kept?.sealed ?? Buffer.of())).toEqual({ authorization: 'canary' })
}, 60_000)

/** Another transaction that has locked a row until it is freed. */
async function lockedRow(database: QueueDatabase, id: string) {
  const store = await database.anotherStore(1)
  const { promise, resolve } = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const holding = store.transaction(async (tx) => {
    await tx.query(sql.type(nothing)`select from deliveries where id = ${id}::uuid for update`)
    locked.resolve()
    await promise
  })
  await locked.promise
  return {
    free: resolve,
    async [Symbol.asyncDispose]() {
      resolve()
      await holding
    },
  }
}

test('two rotations are never under way at once, and the next one may begin when one has ended or died', async () => {
  await using database = await openQueueDatabase()
  const { store } = database
  const inside = await duringRotation(store, async (ensureAlone) => {
    expect(await duringRotation(store, async () => 'a second one')).toBeNull()
    await ensureAlone()
    return 'the first one'
  })
  expect(inside).toBe('the first one')
  await expect(duringRotation(store, () => Promise.reject(new Error('a fault')))).rejects.toThrow('a fault')
  const locks = () =>
    database.query(`
      select from pg_locks where locktype = 'advisory' and granted
        and database = (select oid from pg_database where datname = current_database())`)
  const left = duringRotation(store, async (ensureAlone) => {
    await database.query(`
      select pg_terminate_backend(pid) from pg_locks
      where locktype = 'advisory' and granted and pid <> pg_backend_pid()
        and database = (select oid from pg_database where datname = current_database())`)
    // Whoever lost the lock is not alone any more.
    await ensureAlone()
  })
  await expect(left).rejects.toSatisfy(isStoreAway)
  // A connection that is ended is told so before Postgres has let go of its lock.
  await eventually(locks, (held) => held.length === 0)
  expect(await duringRotation(store, async () => 'the next one')).toBe('the next one')
})
