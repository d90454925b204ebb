import { sql } from 'slonik'
import Type from 'typebox'
import type { Static } from 'typebox'
import { WORK_LEVEL } from '../../schema/level.ts'
import { DELIVERY_TYPES } from '../../schema/monitor/delivery-config.ts'
import { DELIVERY_BYTES, type DeliveryStatus } from '../../schema/run/delivery.ts'
import { Choice } from '../../schema/shape/shape.ts'
import type { Store } from '../db/client.ts'
import { rowOf, row, unnest } from '../db/row.ts'
import { ownLevels } from '../queue/own-levels.ts'
import { deadDestinations } from './dead-destinations.ts'
import type { Outbox } from './delivery-lease.ts'

const SealedSecret = Type.Union([Type.Unsafe<Buffer>({}), Type.Null()])

/** A delivery that is leased to this process. */
const ClaimedDelivery = Type.Object({
  id: Type.String(),
  /** The fence that a record must match. A later claim, a replay or a release raises it. */
  fence: Type.Integer(),
  team_id: Type.String(),
  /** For the log. Null where a notice is not about one of them. */
  monitor_id: Type.Union([Type.String(), Type.Null()]),
  run_id: Type.Union([Type.String(), Type.Null()]),
  type: Choice(DELIVERY_TYPES),
  /** The kind of a notice; null for a delivery. */
  notice: Type.Union([Type.String(), Type.Null()]),
  /** The key of its destination. */
  host: Type.String(),
  /** The sealed DeliveryConfig (`deliveries.target`). */
  target: Type.Unsafe<Buffer>({}),
  payload: Type.String(),
  bytes: Type.Integer(),
  /** Attempts recorded before this one. */
  attempts: Type.Integer(),
  /** Milliseconds from the time it was due to this claim. */
  late_ms: Type.Number(),
  /** The store's time at this claim, in milliseconds since the epoch. */
  claimed_ms: Type.Number(),
  /** It is sent in one message with others (`store/deliveries/digests.ts`). */
  is_digest: Type.Boolean(),
  /**
   * The monitor's sealed secrets (`monitors.signing_secret`): the current one, and the previous one during its grace
   * period.
   */
  signing_secret: SealedSecret,
  old_signing_secret: SealedSecret,
})
export type ClaimedDelivery = Static<typeof ClaimedDelivery>
const claimed = rowOf(ClaimedDelivery)

interface DeliveryClaim {
  /**
   * Keys of the destinations to claim from, in this order, with the largest number for each. The caller leaves out the
   * busy ones.
   */
  readonly rooms: readonly { readonly host: string; readonly room: number }[]
  /** Largest number of deliveries in total. */
  readonly limit: number
  readonly leaseSeconds: number
  /** Default: nothing is under way. */
  readonly payloads?: PayloadRoom
  /** The level of who sends. Default: that of this process. */
  readonly level?: number
}

/** Room for payloads that are not small (`DELIVERY_BYTES`), in bytes. */
export interface PayloadRoom {
  readonly left: number
  /** Bytes that each team has under way. */
  readonly teams: readonly { readonly team_id: string; readonly held: number }[]
}

const EMPTY: PayloadRoom = { left: DELIVERY_BYTES.total, teams: [] }
const bytesOf = (key: keyof typeof DELIVERY_BYTES) =>
  sql.fragment`${sql.literalValue(String(DELIVERY_BYTES[key]))}::int`

/** The columns in which the two tables differ. */
const DELIVERY = sql.fragment`d.run_id, null::text as notice, d.digest is not null as is_digest`
const NOTICE = sql.fragment`null::uuid as run_id, d.kind as notice, false as is_digest`

/**
 * Claims due deliveries in one short statement: the most overdue ones of each host. `due_at` moves to the end of the
 * lease, and the fence is raised. A delivery that another process is claiming at the same moment is skipped. A
 * delivery that is claimed and never recorded is due again when the lease ends, with the same id and the same text. A
 * large one without room stays due.
 */
export async function claimDeliveries(
  store: Store,
  { rooms, limit, leaseSeconds, payloads = EMPTY, level = WORK_LEVEL }: DeliveryClaim,
  outbox: Outbox = 'deliveries',
): Promise<readonly ClaimedDelivery[]> {
  const table = sql.identifier([outbox])
  const hosts = rooms.map(({ host }) => host)
  const room = rooms.map((entry) => entry.room)
  return store.any(sql.prepared(`claim_${outbox}_${level}`, claimed)`
    with t as materialized (select clock() as at),
    picked as materialized (
      select due.id, due.due_at, due.team_id,
        case when due.bytes > ${bytesOf('small')} then due.bytes else 0 end as large
      from t, unnest(${sql.array(hosts, 'text')}, ${sql.array(room, 'int4')}) as r (host, room)
      cross join lateral (
        select of_level.*
        from ${ownLevels(level)} cross join lateral (
          select id, due_at, team_id, octet_length(payload) as bytes from ${table} d
          where d.level = own.level and host = r.host and due_at <= t.at
          order by due_at
          limit r.room
          for update skip locked
        ) of_level
        order by due_at
        limit r.room
      ) due
      limit ${limit}
    ),
    -- A large one for which its team has no room takes none from other teams.
    of_teams as materialized (
      select id, due_at, large
      from (
        select p.*, coalesce(own.held, 0) + sum(large) over (partition by team_id order by due_at, id) - large as before
        from picked p left join ${unnest('own', payloads.teams, { team_id: 'uuid', held: 'int8' })} using (team_id)
      ) sized
      where large = 0 or before < ${bytesOf('team')}
    ),
    fitting as materialized (
      select id, due_at
      from (select o.*, sum(large) over (order by due_at, id) - large as before from of_teams o) sized
      where large = 0 or before < ${payloads.left}
    ),
    held as (
      update ${table} d
      set due_at = t.at + make_interval(secs => ${leaseSeconds}), fence = d.fence + 1
      from fitting, t
      where d.id = fitting.id
      returning d.id, d.fence, d.team_id, ${outbox === 'notices' ? NOTICE : DELIVERY}, d.type, d.host, d.target,
        d.payload, octet_length(d.payload) as bytes, d.attempts, d.monitor_no, t.at,
        (extract(epoch from t.at - fitting.due_at) * 1000)::float8 as late_ms
    )
    select h.id, h.fence, h.team_id, m.id as monitor_id, h.run_id, h.type, h.notice, h.host, h.target, h.payload,
      h.bytes, h.attempts, h.is_digest, h.late_ms, (extract(epoch from h.at) * 1000)::float8 as claimed_ms,
      m.signing_secret,
      case when m.old_secret_until > h.at then m.old_signing_secret end as old_signing_secret
    from held h left join monitors m on m.no = h.monitor_no and m.team_id = h.team_id
  `)
}

const found = row({
  hosts: Type.Array(Type.String()),
  digests: Type.Array(Type.String()),
  last: Type.Union([Type.String(), Type.Null()]),
  seen: Type.Integer(),
})

/** Keys of some destinations that have due deliveries, and the start of the next page ('' at the end of the round). */
interface DueHosts {
  readonly hosts: readonly string[]
  /** Those of them whose most overdue delivery is sent in one message with others. */
  readonly digests: readonly string[]
  readonly next: string
}

/** Destinations in one page. Each costs one index probe, however many deliveries wait. */
const HOSTS_PER_PAGE = 500

/**
 * Walks through the destinations of the outbox from one host key to the next (a loose index scan), so that the cost
 * depends on the number of hosts and not of rows. When nothing is due, the cost is one probe.
 *
 * Tried and rejected: one scan in the order of due_at that skips saturated hosts. With 100,000 rows for one
 * unreachable host, each claim took 20 ms.
 */
export async function dueHosts(
  store: Store,
  after: string,
  outbox: Outbox = 'deliveries',
  level: number = WORK_LEVEL,
): Promise<DueHosts> {
  const table = sql.identifier([outbox])
  const isDigest = outbox === 'notices' ? sql.fragment`false` : sql.fragment`d.digest is not null`
  const nextHost = (last: ReturnType<typeof sql.fragment>) => sql.fragment`
    select of_level.host, of_level.due_at, of_level.is_digest
    from ${ownLevels(level)} cross join lateral (
      select d.host, d.due_at, ${isDigest} as is_digest from ${table} d
      where d.due_at is not null and d.level = own.level and d.host > ${last}
      order by d.host, d.due_at
      limit 1
    ) of_level
    order by host, due_at
    limit 1`
  const { hosts, digests, last, seen } = await store.one(sql.prepared(`hosts_of_${outbox}_${level}`, found)`
    with recursive t as materialized (select clock() as at),
    round (host, due_at, is_digest, seen) as (
      (
        select first.host, first.due_at, first.is_digest, 1
        from (${nextHost(sql.fragment`${after}`)}) first
        where (select min(due_at) from ${table}) <= (select at from t)
      )
      union all
      select next.host, next.due_at, next.is_digest, round.seen + 1
      from round cross join lateral (${nextHost(sql.fragment`round.host`)}) next
      where round.seen < ${HOSTS_PER_PAGE}
    )
    select coalesce(jsonb_agg(host) filter (where due_at <= t.at), '[]') as hosts,
      coalesce(jsonb_agg(host) filter (where due_at <= t.at and is_digest), '[]') as digests,
      max(host) as last, count(*)::int4 as seen
    from round, t
  `)
  return { hosts, digests, next: seen === HOSTS_PER_PAGE && last !== null ? last : '' }
}

/** A finished attempt and its consequences (`core/machine/delivery.ts`). */
export interface AttemptRecord {
  readonly id: string
  readonly fence: number
  readonly status: DeliveryStatus
  /** Attempts so far, including this one. */
  readonly attempts: number
  /** Seconds from the end of this attempt to the next. Null: there is no next attempt. */
  readonly retry_after_seconds: number | null
  /** Milliseconds since the end of the attempt. */
  readonly ended_ago_ms: number
  readonly response_status: number | null
  readonly response_body: string | null
  /** The other deliveries of its digest take its outcome. */
  readonly is_digest?: boolean
}

const recorded = row({ id: Type.String() })

const COLUMNS = {
  id: 'uuid',
  fence: 'int4',
  status: 'text',
  attempts: 'int2',
  retry_after_seconds: 'int4',
  ended_ago_ms: 'float8',
  response_status: 'int4',
  response_body: 'text',
} as const

const DONE = sql.fragment`done`
const DONE_OR_LED = sql.fragment`(select * from done union all select * from led)`

/** The other deliveries of the digests in `done`. Only the one that leads them is due again. */
const LED = sql.fragment`,
    led as (
      update deliveries f
      set status = d.status, attempts = d.attempts, last_attempt_at = d.last_attempt_at,
        next_attempt_at = d.next_attempt_at, response_status = d.response_status, response_body = d.response_body
      from done d
      where d.digest_of = d.id and f.digest_of = d.id and f.id <> d.id
      returning f.*
    )`

/**
 * Records a batch of attempts in one statement, each under its fence. Returns the ids that were recorded. An id that is
 * missing was claimed again, replayed or released since its claim, and nothing of it changed. The statement also raises
 * the fence: when its answer is lost, the record may be sent again, and a heartbeat that arrives late must not extend
 * the lease.
 */
export async function recordAttempts(
  store: Store,
  records: readonly AttemptRecord[],
  outbox: Outbox = 'deliveries',
): Promise<ReadonlySet<string>> {
  const hasDigest = records.some(({ is_digest: isDigest }) => isDigest === true)
  const rows = await store.any(sql.prepared(`record_${outbox}${hasDigest ? '_with_digests' : ''}`, recorded)`
    with t as materialized (select clock() as at),
    input as (
      select i.*, t.at - make_interval(secs => i.ended_ago_ms / 1000.0) as ended_at
      from t, ${unnest('i', records, COLUMNS)}
    ),
    done as (
      update ${sql.identifier([outbox])} d
      set fence = d.fence + 1,
        status = i.status,
        attempts = i.attempts,
        last_attempt_at = i.ended_at,
        -- When the seconds are null, both times are null: nothing is due any more.
        next_attempt_at = i.ended_at + make_interval(secs => i.retry_after_seconds),
        due_at = i.ended_at + make_interval(secs => i.retry_after_seconds),
        response_status = i.response_status,
        response_body = i.response_body
      from input i
      where d.id = i.id and d.fence = i.fence
      returning d.*
    )
    ${hasDigest ? LED : sql.fragment``}
    ${outbox === 'deliveries' ? deadDestinations(hasDigest ? DONE_OR_LED : DONE) : sql.fragment``}
    select id from done
  `)
  return new Set(rows.map(({ id }) => id))
}
