import { setTimeout as pause } from 'node:timers/promises'
import { Agent, request } from 'undici'
import type { DeliveryConfig } from '../../schema/monitor/delivery-config.ts'
import { type DeliveryRow, newDelivery } from '../../store/deliveries/delivery-row.ts'
import { createSecretBox } from '../../store/secrets/secret-box.ts'
import { deliveryColumns } from '../../test/support/worker/delivery-columns.ts'
import { type Spread, spreadOf } from '../results/stats.ts'
import { type Child, startChild } from '../support/child.ts'
import type { Database, Server } from '../support/database.ts'
import { insertMonitors, insertTeam, TEAM } from '../support/monitors.ts'
import { ENCRYPTION_KEY, startWorkerProcess } from '../support/worker-process.ts'
import { DIGESTS } from './digest-path.ts'
import type { SinkAnswer, SinkQuestion } from './sink-server.ts'

/** How late webhooks reach their receivers when this many are due at the same instant; ms, each the p99 of a round. */
export interface DeliveryLateness {
  readonly deliveries: number
  readonly sinks: number
  readonly p99Ms: Spread
  /** The same, while a dead destination has a hundred webhooks due as well. */
  readonly p99WithDeadMs: Spread
  /** As many changes more, due at the same instant in digests: the time until all their messages have arrived. */
  readonly digests: number
  readonly digestsMs: Spread
  /** The p99 of the others then. */
  readonly p99BesideDigestsMs: Spread
  /** Webhooks that become due one after the other, this many a second: the p99 alone, and beside the digests. */
  readonly pacedPerSecond: number
  readonly p99PacedMs: Spread
  readonly p99PacedBesideDigestsMs: Spread
  /** The time until all messages of the digests have arrived then. */
  readonly digestsBesidePacedMs: Spread
  /** The same messages sent by a bare undici loop with 256 in flight, which knows all of them beforehand. */
  readonly p99BareMs: Spread
}

export interface DeliveriesSize {
  readonly deliveries: number
  readonly rounds: number
}

const SINKS = 100
const TO_THE_DEAD = 100
/** Changes in one digest. */
const IN_DIGEST = 20
/** Webhooks of every day, and for how long they become due: longer than the digests take. */
const PACED = { perSecond: 200, seconds: 6 }
const LEAST_AHEAD_MS = 500
const AHEAD_MS_EACH = 0.25
const COMMIT_MS = 100
const PATIENCE_MS = 60_000
const BARE_IN_FLIGHT = 256
const PAYLOAD = {
  event: 'monitor.changed',
  monitor: { name: 'Kettle', url: 'http://127.0.0.1:9/shop/1' },
  diff: { price: { before: '€ 89.00', after: '€ 79.00' } },
  extracted: { price: '€ 79.00' },
}

/** A change that messages are written from. */
const CHANGE = {
  monitor_id: '00000000-0000-7000-8000-000000000001',
  run_id: '00000000-0000-7000-8000-000000000002',
  fired_at: '2026-01-01T00:00:00.000Z',
  monitor: PAYLOAD.monitor,
  diff: { fields_changed: ['price'], before: { price: '€ 89.00' }, after: { price: '€ 79.00' } },
}

const secrets = createSecretBox(ENCRYPTION_KEY)

/**
 * Runs rounds without and with the dead destination and rounds of the bare loop in turn, with one `tidemark worker` and
 * its defaults.
 */
export async function measureDeliveries(
  server: Server,
  { deliveries, rounds }: DeliveriesSize,
): Promise<DeliveryLateness> {
  const database = await server.create('bench_deliveries')
  const sink = startChild<SinkQuestion, SinkAnswer>(new URL('./sink-server.ts', import.meta.url))
  await openOutbox(database)
  const { ports } = await sink.ask({ what: 'open', sinks: SINKS })
  const worker = await startWorkerProcess(database.url)
  const found = {
    alone: [] as number[],
    withDead: [] as number[],
    bare: [] as number[],
    digests: [] as number[],
    besideDigests: [] as number[],
    paced: [] as number[],
    pacedBeside: [] as number[],
    digestsBesidePaced: [] as number[],
  }
  try {
    const measured: Measured = { database, sink, ports, deliveries }
    const paced = { ...measured, deliveries: PACED.perSecond * PACED.seconds, perSecond: PACED.perSecond }
    // The first round is left out: it opens connections and warms code up.
    for (let round = 0; round <= rounds; round++) {
      found.bare.push(await bareRound(measured))
      found.alone.push((await ourRound(measured)).p99)
      found.withDead.push((await ourRound(measured, toTheDead(ports))).p99)
      const beside = await ourRound(measured, inDigests(ports, deliveries))
      found.besideDigests.push(beside.p99)
      found.digests.push(beside.lastOther)
      found.paced.push((await ourRound(paced)).p99)
      const besidePaced = await ourRound(paced, inDigests(ports, deliveries))
      found.pacedBeside.push(besidePaced.p99)
      found.digestsBesidePaced.push(besidePaced.lastOther)
    }
    await sink.ask({ what: 'hangUp' })
  } finally {
    await worker.stop()
    await sink.stop()
    await database.close()
  }
  const spread = (ms: readonly number[]): Spread => spreadOf(ms.slice(1))
  return {
    deliveries,
    sinks: SINKS,
    p99Ms: spread(found.alone),
    p99WithDeadMs: spread(found.withDead),
    digests: Math.ceil(deliveries / IN_DIGEST),
    digestsMs: spread(found.digests),
    p99BesideDigestsMs: spread(found.besideDigests),
    pacedPerSecond: PACED.perSecond,
    p99PacedMs: spread(found.paced),
    p99PacedBesideDigestsMs: spread(found.pacedBeside),
    digestsBesidePacedMs: spread(found.digestsBesidePaced),
    p99BareMs: spread(found.bare),
  }
}

interface Measured {
  readonly database: Database
  readonly sink: Child<SinkQuestion, SinkAnswer>
  readonly ports: readonly number[]
  readonly deliveries: number
  /** So many of them become due in a second. Absent: all are due at once. */
  readonly perSecond?: number
}

/** Inserts a monitor with a signing secret and without a due check. */
async function openOutbox(database: Database): Promise<void> {
  await insertTeam(database)
  await insertMonitors(database, { from: 0, to: 1, base: 'http://127.0.0.1:9/shop' })
  const { id } = await database.one<{ id: string }>('select id from monitors')
  const place = { teamId: TEAM, column: 'monitors.signing_secret', rowId: id } as const
  const sealed = secrets.seal(place, 'a'.repeat(64))
  await database.client.query('update monitors set signing_secret = $1', [sealed])
  await database.client.query('update checks set due_at = null, next_run_at = null')
}

/** Deliveries that are due at the same instant. */
interface Others {
  readonly rows: readonly DeliveryRow[]
  /** How many messages of them arrive. Absent: none does. */
  readonly arriving?: number
}

interface Round {
  readonly p99: number
  /** When the last message below `DIGESTS` arrived. */
  readonly lastOther: number
}

/** Sends the deliveries, and others that are due at the same instant. Milliseconds from that instant. */
async function ourRound(
  { database, sink, ports, deliveries, perSecond }: Measured,
  { rows, arriving = 0 }: Others = { rows: [] },
): Promise<Round> {
  const apartMs = perSecond === undefined ? 0 : 1000 / perSecond
  const due = await insertDeliveries(database, { messages: messages(ports, deliveries), apartMs, others: rows })
  const settling = deliveries + (arriving > 0 ? rows.length : 0)
  const until = performance.now() + PATIENCE_MS
  const settled = `select count(*)::int as settled from deliveries where status = 'success' and attempts = 1`
  while ((await database.one<{ settled: number }>(settled)).settled < settling) {
    if (performance.now() > until) throw new Error('the deliveries did not end in time')
    await pause(250)
  }
  const found = await sink.ask({ what: 'take' })
  if (found.arrivals.length !== deliveries)
    throw new Error(`${deliveries} deliveries came ${found.arrivals.length} times`)
  if (found.digests.length !== arriving) throw new Error(`${arriving} others came ${found.digests.length} times`)
  await database.client.query('truncate deliveries')
  const late = found.arrivals.map(({ place, at }) => at - due - place * apartMs)
  return { p99: p99(late), lastOther: Math.max(0, ...found.digests) - due }
}

const made = (config: DeliveryConfig, content: object = PAYLOAD): DeliveryRow =>
  newDelivery({ secrets, teamId: TEAM, config, at: Date.now(), payload: (id) => ({ id, ...content }) })
const hook = (port: number | undefined, path = '/hook/0') =>
  ({ type: 'webhook', url: `http://127.0.0.1:${port}${path}` }) as const

const messages = (ports: readonly number[], deliveries: number): DeliveryRow[] =>
  Array.from({ length: deliveries }, (_, n) => made(hook(ports[n % SINKS], `/hook/${n}`)))
const toTheDead = (ports: readonly number[]): Others => ({
  rows: Array.from({ length: TO_THE_DEAD }, () => made(hook(ports[SINKS]))),
})

/** Changes in digests to addresses of their own, which all sinks have about as many of. */
function inDigests(ports: readonly number[], changes: number): Others {
  const count = Math.ceil(changes / IN_DIGEST)
  const room = (n: number) => ({ ...hook(ports[n % SINKS], `${DIGESTS}/${n}`), service: 'mattermost' }) as const
  const one = (_: unknown, n: number) => made({ ...room(n % count), digest: { every_seconds: 60 } }, CHANGE)
  return { rows: Array.from({ length: changes }, one), arriving: count }
}

interface Inserted {
  readonly messages: readonly DeliveryRow[]
  /** Each of them becomes due so much later than the one before. */
  readonly apartMs: number
  /** They are due with the first one. */
  readonly others: readonly DeliveryRow[]
}

/**
 * Inserts deliveries and returns when the first ones are due, in ms since the epoch. It is a moment in the future, so
 * that all are inserted before.
 */
async function insertDeliveries(database: Database, { messages: own, apartMs, others }: Inserted): Promise<number> {
  const rows = [...own, ...others]
  const after = rows.map((_, n) => (n < own.length ? n * apartMs : 0))
  const { id, type, target, host, payload, level, digest } = deliveryColumns(rows)
  for (let aheadMs = LEAST_AHEAD_MS + rows.length * AHEAD_MS_EACH; ; aheadMs *= 2) {
    const due = Date.now() + aheadMs
    await database.client.query('begin')
    await database.client.query(
      `insert into deliveries (id, team_id, monitor_no, run_id, type, target, host, payload, due_at, next_attempt_at,
        level, digest)
       select d.id, $1, (select no from monitors), gen_random_uuid(), d.type, d.target, d.host, d.payload, at, at,
        d.level, d.digest
       from unnest($2::uuid[], $3::text[], $4::bytea[], $5::text[], $6::text[], $8::smallint[], $9::text[],
           $10::float8[])
         as d (id, type, target, host, payload, level, digest, after_ms),
         to_timestamp(($7::float8 + d.after_ms) / 1000) at`,
      [TEAM, id, type, target, host, payload, due, level, digest, after],
    )
    await database.client.query('analyze deliveries')
    const isAhead = Date.now() + COMMIT_MS < due
    await database.client.query(isAhead ? 'commit' : 'rollback')
    if (!isAhead) continue
    if (Date.now() > due) throw new Error('the deliveries were due before all were there')
    return due
  }
}

async function bareRound({ sink, ports, deliveries }: Measured): Promise<number> {
  const dispatcher = new Agent({ connections: 5 })
  const body = JSON.stringify({ id: '00000000-0000-7000-8000-000000000000', ...PAYLOAD })
  let next = 0
  const one = async (): Promise<void> => {
    while (next < deliveries) {
      const answer = await request(`http://127.0.0.1:${ports[next++ % SINKS]}/hook/0`, {
        method: 'POST',
        body,
        dispatcher,
      })
      await answer.body.dump()
    }
  }
  const due = Date.now()
  await Promise.all(Array.from({ length: BARE_IN_FLIGHT }, one))
  await dispatcher.close()
  const { arrivals } = await sink.ask({ what: 'take' })
  return p99(arrivals.map(({ at }) => at - due))
}

function p99(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? Number.NaN
}
