import { randomUUID } from 'node:crypto'
import pg from 'pg'
import type { Channels } from '../../../deliveries/channels/channel.ts'
import { createChannels } from '../../../deliveries/channels/channels.ts'
import { createServiceChannel } from '../../../deliveries/channels/service.ts'
import { createDeliveryLoop, type DeliveryLoop } from '../../../deliveries/loop/delivery-loop.ts'
import { createGuardedAgent } from '../../../egress/guarded-agent.ts'
import { createPolicy } from '../../../egress/policy.ts'
import type { DeliveryConfig } from '../../../schema/monitor/delivery-config.ts'
import { openStore, type Store } from '../../../store/db/client.ts'
import { type DeliveryRow, newDelivery } from '../../../store/deliveries/delivery-row.ts'
import { createSecretBox, type SecretBox } from '../../../store/secrets/secret-box.ts'
import { eventually } from '../run/eventually.ts'
import { deliveryColumns } from '../worker/delivery-columns.ts'
import { NO_METRICS } from '../worker/no-delivery-metrics.ts'
import { literal } from './stored-rows.ts'
import { createTestDatabase } from './test-database.ts'

export const SECRET = 'a'.repeat(64)
/** The encryption key of what it holds. */
export const OUTBOX_KEY = 'the key of a test, which is long enough'
export const OLD_SECRET = 'b'.repeat(64)

/** A row of `deliveries` as a test looks at it. */
export interface Seen {
  readonly id: string
  readonly host: string
  readonly status: string
  readonly attempts: number
  readonly fence: number
  readonly digest_of: string | null
  readonly payload: string
  readonly response_status: number | null
  readonly response_body: string | null
  readonly due_at: Date | null
  readonly last_attempt_at: Date | null
  readonly next_attempt_at: Date | null
  readonly created_at: Date
}

/** A database with one team and one monitor, and ways to put deliveries into it and to look at them. */
export interface Outbox extends AsyncDisposable {
  readonly url: string
  readonly store: Store
  readonly secrets: SecretBox
  readonly teamId: string
  readonly monitorId: string
  readonly monitorNo: number
  /** A second pool on the same database, as another process has it. */
  anotherStore(): Promise<Store>
  /** Stores a webhook, due at once. */
  webhook(url: string, more?: { headers?: Record<string, string>; payload?: object; runId?: string }): Promise<string>
  add(config: DeliveryConfig, payload?: object, runId?: string): Promise<string>
  /** Stores many in one statement. */
  addAll(rows: readonly DeliveryRow[], runId?: string): Promise<void>
  row(config: DeliveryConfig, payload?: object): DeliveryRow
  /** Makes a second team with a monitor; the answer stores a webhook of it, due at once. */
  anotherTeam(): Promise<(url: string) => Promise<string>>
  see(id: string): Promise<Seen>
  seeAll(): Promise<Seen[]>
  /** Sets columns of one that no test of the loop reaches in time. */
  change(
    id: string,
    columns: { attempts?: number; last_attempt_at?: string; target?: Buffer; payload?: string },
  ): Promise<void>
  /** The monitor had `OLD_SECRET` before, which is given for an hour more. */
  keepOldSecret(): Promise<void>
  /** Waits until the delivery looks so. */
  until(id: string, condition: (row: Seen) => boolean): Promise<Seen>
  /** Moves the store's clock to this many seconds ahead of the wall's. */
  setClock(seconds: number): Promise<void>
  query(text: string, values?: unknown[]): Promise<pg.QueryResult>
  /** A connection of one's own, for locks. */
  connect(): Promise<pg.PoolClient>
}

export async function openOutbox(): Promise<Outbox> {
  const database = await createTestDatabase()
  const pool = new pg.Pool({ connectionString: database.url, max: 4 })
  // Dropping the database cuts idle connections off.
  pool.on('error', () => {})
  const stores: Store[] = []
  const anotherStore = async () => {
    const store = await openStore({ url: database.url, name: 'test' })
    stores.push(store)
    return store
  }
  const store = await anotherStore()
  const secrets = createSecretBox(OUTBOX_KEY)
  const { teamId, monitorId, monitorNo } = await makeMonitor(pool, secrets)

  const rowOf = (team: string, config: DeliveryConfig, payload: object) =>
    newDelivery({ secrets, teamId: team, config, at: Date.now(), payload: (id) => ({ id, ...payload }) })
  const row = (config: DeliveryConfig, payload: object = { hello: 'world' }) => rowOf(teamId, config, payload)
  const addTo = async (monitor: Monitor, rows: readonly DeliveryRow[], runId: string = randomUUID()) => {
    const { id, type, target, host, target_key, payload, level, digest } = deliveryColumns(rows)
    await pool.query(
      `insert into deliveries (id, team_id, monitor_no, run_id, type, target, host, target_key, payload, level, digest,
        due_at, next_attempt_at, created_at)
       select d.id, $1, $2, $3, d.type, d.target, d.host, d.target_key, d.payload, d.level, d.digest, clock(), clock(),
        clock()
       from unnest($4::uuid[], $5::text[], $6::bytea[], $7::text[], $8::text[], $9::text[], $10::smallint[],
         $11::text[]) as d (id, type, target, host, target_key, payload, level, digest)`,
      [monitor.teamId, monitor.monitorNo, runId, id, type, target, host, target_key, payload, level, digest],
    )
  }
  const addAll = (rows: readonly DeliveryRow[], runId?: string) => addTo({ teamId, monitorId, monitorNo }, rows, runId)
  const see = async (id: string) => {
    const { rows } = await pool.query<Seen>('select * from deliveries where id = $1', [id])
    if (rows[0] === undefined) throw new Error(`no delivery ${id}`)
    return rows[0]
  }
  const add = async (config: DeliveryConfig, payload?: object, runId?: string) => {
    const made = row(config, payload)
    await addAll([made], runId)
    return made.id
  }

  return {
    url: database.url,
    store,
    secrets,
    teamId,
    monitorId,
    monitorNo,
    anotherStore,
    row,
    add,
    addAll,
    async anotherTeam() {
      const another = await makeMonitor(pool, secrets)
      return async (url) => {
        const made = rowOf(another.teamId, { type: 'webhook', url }, {})
        await addTo(another, [made])
        return made.id
      }
    },
    see,
    webhook: (url, { headers, payload, runId } = {}) =>
      add({ type: 'webhook', url, ...(headers && { headers }) }, payload, runId),
    seeAll: async () => (await pool.query<Seen>('select * from deliveries order by id')).rows,
    change: async (id, columns) => {
      const set = Object.entries(columns).map(([column, value]) => `${column} = ${literal(value)}`)
      await pool.query(`update deliveries set ${set.join()} where id = $1`, [id])
    },
    keepOldSecret: async () => {
      const place = { teamId, column: 'monitors.old_signing_secret', rowId: monitorId } as const
      await pool.query(`update monitors set old_signing_secret = $1, old_secret_until = clock() + interval '1 hour'`, [
        secrets.seal(place, OLD_SECRET),
      ])
    },
    until: (id, condition) => eventually(() => see(id), condition),
    setClock: async (seconds) => {
      const { rows } = await pool.query<{ name: string }>('select current_database() as name')
      await pool.query(`alter database ${rows[0]?.name} set tidemark.clock_offset = '${seconds} seconds'`)
    },
    query: (text, values) => pool.query(text, values),
    connect: () => pool.connect(),
    async [Symbol.asyncDispose]() {
      await Promise.all(stores.map((open) => open.end()))
      await pool.end()
      await database.drop()
    },
  }
}

interface Monitor {
  readonly teamId: string
  readonly monitorId: string
  readonly monitorNo: number
}

async function makeMonitor(pool: pg.Pool, secrets: SecretBox): Promise<Monitor> {
  const team = await pool.query<{ id: string }>(
    `insert into teams (name, owner_user_id, tier) values ('T', gen_random_uuid(), 'scale') returning id`,
  )
  const teamId = String(team.rows[0]?.id)
  const monitorId = randomUUID()
  const monitor = await pool.query<{ no: string }>(
    `insert into monitors (id, team_id, user_id, name, url, schedule_interval_seconds, extract_config, diff_predicate,
      fetch_mode, signing_secret)
     values ($3, $1, gen_random_uuid(), 'M', 'https://example.com/', 60, '{}', '{}', 'auto', $2) returning no`,
    [teamId, secrets.seal({ teamId, column: 'monitors.signing_secret', rowId: monitorId }, SECRET), monitorId],
  )
  return { teamId, monitorId, monitorNo: Number(monitor.rows[0]?.no) }
}

/** What a test may set of a loop. */
interface LoopOverrides {
  readonly store?: Store
  readonly deadlineMs?: number
  readonly channels?: Channels
  readonly perHost?: number
  readonly concurrency?: number
  readonly leaseSeconds?: number
  readonly idleMs?: number
  /** Networks that may be dialled; loopback unless given. */
  readonly allow?: readonly string[]
}

interface RunningLoop extends AsyncDisposable {
  readonly loop: DeliveryLoop
  readonly log: readonly string[]
}

/** Starts a loop that may dial loopback. Disposal drains it. */
export function startLoop(outbox: Outbox, overrides: LoopOverrides = {}): RunningLoop {
  const policy = createPolicy({ allowPrivateCidrs: overrides.allow ?? ['127.0.0.0/8'], neverAllow: [] })
  const agent = createGuardedAgent(policy)
  const log: string[] = []
  const write = (fields: object, message: string) => void log.push(`${message} ${JSON.stringify(fields)}`)
  const channels = overrides.channels ?? {
    ...createChannels({ agent, mailer: null, dashboardUrl: 'http://127.0.0.1:8080' }),
    webhook: createServiceChannel({ agent, links: { dashboardUrl: null }, deadlineMs: overrides.deadlineMs ?? 5_000 }),
  }
  const loop = createDeliveryLoop({
    store: overrides.store ?? outbox.store,
    secrets: outbox.secrets,
    channels,
    links: { dashboardUrl: null },
    log: { info: write, warn: write, error: write },
    metrics: NO_METRICS,
    leaseSeconds: overrides.leaseSeconds ?? 60,
    perHost: overrides.perHost ?? 5,
    ...(overrides.concurrency !== undefined && { concurrency: overrides.concurrency }),
    idleMs: overrides.idleMs ?? 50,
  })
  loop.start()
  return {
    loop,
    log,
    async [Symbol.asyncDispose]() {
      await loop.drain(250)
      await agent.destroy()
    },
  }
}
