import { describe, expect, test } from 'vitest'
import { createLogger } from '../../../core/logger.ts'
import type { Channels } from '../../../deliveries/channels/channel.ts'
import { attempt } from '../../../deliveries/loop/delivery-round.ts'
import type { MonitorSpec } from '../../../schema/monitor/monitor.ts'
import type { Outbox } from '../../../store/deliveries/delivery-lease.ts'
import { claimDeliveries } from '../../../store/deliveries/delivery-queue.ts'
import { newDelivery } from '../../../store/deliveries/delivery-row.ts'
import { monitorSpec, PAGE_TABLE } from '../../../store/monitors/kinds/page-table.ts'
import { findMonitor } from '../../../store/monitors/monitors.ts'
import { findSigningFacts, replaceSigningSecret } from '../../../store/monitors/signing-secret.ts'
import { SEALED_TABLES } from '../../../store/secrets/sealed-tables.ts'
import { openQueueDatabase } from '../../support/database/queue-database.ts'
import { shared } from '../../support/run/shared.ts'
import { create } from '../monitors/stored-monitors.ts'

const ctx = { signal: new AbortController().signal, log: createLogger('silent') }
const answered = { kind: 'answered', status: 200, body: null, retryAfterMs: null } as const
const channel = { send: async () => answered }
const channels = { webhook: channel, slack: channel, discord: channel, email: channel } as unknown as Channels
const config = { type: 'webhook', url: 'https://example.com/hook-canary' } as const
const secretive: Partial<MonitorSpec> = { request_headers: { authorization: 'Bearer canary' }, deliveries: [config] }

const database = shared(openQueueDatabase)

/** Two monitors of one team with everything that is encrypted. */
async function twins(): Promise<{ teamId: string; id: string; no: number; other: string }> {
  const teamId = await database.team()
  const [one, two] = [await create(database, teamId, secretive), await create(database, teamId, secretive)]
  for (const { id } of [one, two])
    await database.store.transaction((tx) => replaceSigningSecret(tx, database.secrets, { teamId, id, graceHours: 1 }))
  return { teamId, id: one.id, no: one.no, other: two.id }
}

/** Stores a message of each twin, due at once. */
async function messages(outbox: Outbox, teamId: string, no: number) {
  const rows = [1, 2].map(() =>
    newDelivery({ secrets: database.secrets, outbox, teamId, config, at: Date.now(), payload: (id) => ({ id }) }),
  )
  const more = outbox === 'deliveries' ? 'run_id' : 'kind'
  for (const { id, type, target, host, payload } of rows)
    await database.query(
      `insert into ${outbox} (id, team_id, monitor_no, ${more}, type, target, host, payload, due_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, clock())`,
      [id, teamId, no, outbox === 'deliveries' ? id : 'failing', type, target, host, payload],
    )
  return rows.map(({ id, host }) => ({ id, host }))
}

const move = (table: string, column: string, ids: { readonly from: string; readonly to: string }) =>
  database.query(`update ${table} set ${column} = (select ${column} from ${table} where id = $1) where id = $2`, [
    ids.from,
    ids.to,
  ])

/** Sends one message of a team through channels that accept everything. */
async function send(outbox: Outbox, { id, host }: { id: string; host: string }) {
  const claimed = await claimDeliveries(
    database.store,
    { rooms: [{ host, room: 10 }], limit: 10, leaseSeconds: 60 },
    outbox,
  )
  const mine = claimed.find((one) => one.id === id)
  if (!mine) throw new Error('it was not claimed')
  return (await attempt(mine, { secrets: database.secrets, channels }, ctx)).outcome
}

const MOVED = 'it was altered, or moved there from another row'
const REFUSED = { kind: 'no_answer', message: expect.stringContaining('cannot be read') }

describe('a ciphertext that was copied to another row of the same team', () => {
  test.each(['request_headers', 'deliveries'])('does not open as %s of a monitor', async (column) => {
    const { teamId, id, other } = await twins()
    const read = async () => {
      const stored = await findMonitor(database.store, teamId, id, PAGE_TABLE)
      return stored && monitorSpec(stored, database.secrets)
    }
    expect(await read()).toMatchObject(secretive)
    await move('monitors', column, { from: other, to: id })
    await expect(read()).rejects.toThrow(MOVED)
    await expect(read()).rejects.not.toThrow('canary')
  })

  test('does not open as the secret of a monitor', async () => {
    const { teamId, id, other } = await twins()
    const read = () => findSigningFacts(database.store, database.secrets, { teamId, id, kind: 'page' })
    expect(await read()).toMatchObject({ secret: expect.stringMatching(/^[0-9a-f]{64}$/) })
    await move('monitors', 'signing_secret', { from: other, to: id })
    await expect(read()).rejects.toThrow(MOVED)
  })

  test('signs no webhook: neither as the secret of a monitor nor as the one before', async () => {
    for (const column of ['signing_secret', 'old_signing_secret']) {
      const { teamId, id, no, other } = await twins()
      const [first, second] = await messages('deliveries', teamId, no)
      if (!first || !second) throw new Error('no message')
      expect(await send('deliveries', first)).toEqual(answered)
      await move('monitors', column, { from: other, to: id })
      await database.query('update deliveries set due_at = clock() where id = $1', [second.id])
      expect(await send('deliveries', second), column).toMatchObject(REFUSED)
    }
  })

  test('does not open in another column of its own row', async () => {
    const { teamId, id } = await twins()
    await database.query('update monitors set signing_secret = old_signing_secret where id = $1', [id])
    await expect(findSigningFacts(database.store, database.secrets, { teamId, id, kind: 'page' })).rejects.toThrow(
      MOVED,
    )
  })

  test.each(['deliveries', 'notices'] as const)('sends nothing as the target of a row of %s', async (outbox) => {
    const { teamId, no } = await twins()
    const [first, second] = await messages(outbox, teamId, no)
    if (!first || !second) throw new Error('no message')
    expect(await send(outbox, first)).toEqual(answered)
    await move(outbox, 'target', { from: first.id, to: second.id })
    await database.query(`update ${outbox} set due_at = clock() where id = $1`, [second.id])
    expect(await send(outbox, second)).toMatchObject(REFUSED)
  })
})

test('every column of bytes that may be encrypted is known to the rotation of keys', async () => {
  const columns = await database.query<{ column: string }>(
    `select table_name || '.' || column_name as column from information_schema.columns
     where table_schema = 'public' and data_type = 'bytea' and table_name !~ '^runs_'`,
  )
  const sealed = SEALED_TABLES.flatMap(({ table, columns: own }) => own.map((column) => `${table}.${column}`))
  // Hashes, also of items that were shown, texts of pages, and the proofs of the keys themselves.
  const isPlain = (column: string) =>
    /hash$|\.(?:text_)?key$|^encryption_keys\.proof$|\.text(?:_before|_after)?$|^seen_items\./.test(column)
  const others = columns.map(({ column }) => column).filter((column) => !isPlain(column))
  expect(others.toSorted()).toEqual(sealed.toSorted())
})
