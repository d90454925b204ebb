import { setTimeout as pause } from 'node:timers/promises'
import { createSecretBox } from '../../store/secrets/secret-box.ts'
import { deliveryColumns } from '../../test/support/worker/delivery-columns.ts'
import type { SinkAnswer, SinkQuestion } from '../deliveries/sink-server.ts'
import { shareOf } from '../results/stats.ts'
import { type Child, startChild } from '../support/child.ts'
import type { Database } from '../support/database.ts'
import { ENCRYPTION_KEY, startWorkerProcess } from '../support/worker-process.ts'
import { deliveryTo } from './seed-screens.ts'

/** What it costs to send many deliveries again, which fail again, and how late those to other destinations are then. */
export interface ReplayBeside {
  readonly deliveries: number
  readonly queuedMs: number
  /** Entries of the audit log that it made. */
  readonly audited: number
  /** The p99 lateness of deliveries to other destinations, which become due one after the other. */
  readonly alone99Ms: number
  readonly beside99Ms: number
}

interface Replayed {
  readonly database: Database
  readonly teamId: string
  /** Sends again what was given up. Returns how many deliveries are queued. */
  replay(): Promise<number>
}

/** A hundred a second, to so many destinations: one destination takes only some at once. */
const OTHERS = { count: 500, apartMs: 10, sinks: 20 } as const
const PATIENCE_MS = 60_000
const AHEAD_MS = 1_500

/** Sends deliveries to other destinations alone, and then beside the replay, with one `tidemark worker`. */
export async function measureReplay({ database, teamId, replay }: Replayed): Promise<ReplayBeside> {
  const sink = startChild<SinkQuestion, SinkAnswer>(new URL('../deliveries/sink-server.ts', import.meta.url))
  const { ports } = await sink.ask({ what: 'open', sinks: OTHERS.sinks })
  await signAll(database)
  const worker = await startWorkerProcess(database.url)
  const paced = { database, teamId, sink, ports }
  try {
    // Opens connections and warms code up.
    await othersLate(paced, async () => {})
    const alone99Ms = await othersLate(paced, async () => {})
    let [deliveries, queuedMs] = [0, 0]
    const beside99Ms = await othersLate(paced, async () => {
      const from = performance.now()
      deliveries = await replay()
      queuedMs = performance.now() - from
    })
    const { audited } = await database.one<{ audited: number }>(
      `select count(*)::int as audited from audit_events where action = 'delivery.replayed'`,
    )
    await sink.ask({ what: 'hangUp' })
    return { deliveries, queuedMs, audited, alone99Ms, beside99Ms }
  } finally {
    await worker.stop()
    await sink.stop()
  }
}

/** Gives each monitor a secret to sign with. */
async function signAll({ client }: Database): Promise<void> {
  const { rows } = await client.query<{ id: string; team_id: string }>('select id, team_id from monitors')
  const secrets = createSecretBox(ENCRYPTION_KEY)
  const sealed = rows.map(({ id, team_id: teamId }) =>
    secrets.seal({ teamId, column: 'monitors.signing_secret', rowId: id }, 'a'.repeat(64)),
  )
  await client.query(
    `update monitors m set signing_secret = s.sealed
     from unnest($1::uuid[], $2::bytea[]) s (id, sealed) where m.id = s.id`,
    [rows.map(({ id }) => id), sealed],
  )
}

interface Paced extends Pick<Replayed, 'database' | 'teamId'> {
  readonly sink: Child<SinkQuestion, SinkAnswer>
  readonly ports: readonly number[]
}

/** Returns the p99 lateness of deliveries that become due one after the other, while something else is done. */
async function othersLate({ database, teamId, sink, ports }: Paced, meanwhile: () => Promise<void>): Promise<number> {
  const rows = Array.from({ length: OTHERS.count }, (_, nth) =>
    deliveryTo({ type: 'webhook', url: `http://127.0.0.1:${ports[nth % OTHERS.sinks]}/hook/${nth}` }, teamId),
  )
  const { id, type, target, host, target_key, payload } = deliveryColumns(rows)
  const due = Date.now() + AHEAD_MS
  await database.client.query(
    `insert into deliveries (id, team_id, monitor_no, run_id, type, target, host, target_key, payload, due_at,
       next_attempt_at)
     select d.id, $1, c.no, c.reading_id, d.type, d.target, d.host, d.key, d.payload, at, at
     from unnest($2::uuid[], $3::text[], $4::bytea[], $5::text[], $6::text[], $7::text[])
       with ordinality d (id, type, target, host, key, payload, nth),
       lateral (select to_timestamp(($8::float8 + (nth - 1) * $9::float8) / 1000) as at) t,
       (select no, reading_id from checks order by no limit 1) c`,
    [teamId, id, type, target, host, target_key, payload, due, OTHERS.apartMs],
  )
  await meanwhile()
  const until = performance.now() + PATIENCE_MS
  const left = `select count(*)::int as left from deliveries where id = any($1) and status <> 'success'`
  while ((await database.one<{ left: number }>(left, [id])).left > 0) {
    if (performance.now() > until) throw new Error('the deliveries to the other destinations did not end in time')
    await pause(250)
  }
  const { arrivals } = await sink.ask({ what: 'take' })
  const late = arrivals.map(({ place, at }) => at - due - place * OTHERS.apartMs)
  return shareOf(late, 0.99)
}
