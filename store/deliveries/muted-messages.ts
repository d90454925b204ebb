import { sql } from 'slonik'
import Type, { type Static } from 'typebox'
import { heldUntil, muteAt } from '../../core/hold/held-until.ts'
import type { Mute } from '../../schema/monitor/mute.ts'
import type { Queryable } from '../db/client.ts'
import { nothing, rowOf, unnest } from '../db/row.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import type { Outbox } from './delivery-lease.ts'
import { lastMoment } from './last-moment.ts'
import type { SealedTarget } from './sealed-target.ts'

type Fragment = ReturnType<typeof sql.fragment>

/** Messages that a mute holds wait until it ends. When the mute changes, they get another time. */

const OUTBOXES = ['deliveries', 'notices'] as const satisfies readonly Outbox[]

/** Messages that are read at once. */
const BATCH = 1_000

/** Monitors that are unmuted within this time send one message to a destination. */
const GATHERED_SECONDS = 5

/** From one message of a monitor to the next, where each is sent by itself: so they arrive in their order. */
const APART_SECONDS = 1
/** Those behind the messages of an hour are this far apart: so a receiver is not late for days. */
const LATE_APART_SECONDS = 0.001
const MOST_APART_SECONDS = 3_600

/** Messages that wait for no mute any more are sent by then: those of an hour, and some thousand behind them. */
const SENT_BY = sql.fragment`interval '61 minutes'`
/** Quiet hours, which are shorter than a day, may follow the end of a mute. */
const SENT_AFTER_END = sql.fragment`interval '26 hours'`

/** The columns in which the two tables differ. */
const OF_MONITOR = { deliveries: sql.identifier(['d', 'monitor_no']), notices: sql.identifier(['d', 'muted_no']) }
const IS_OPEN = { deliveries: sql.fragment`d.digest_of is null`, notices: sql.fragment`true` }
const IS_SINGLE = { deliveries: sql.fragment`d.digest is null`, notices: sql.fragment`true` }

const IS_MUTED = sql.fragment`d.held = 'muted' and d.status = 'pending' and d.attempts = 0`

const Muted = Type.Object({
  id: Type.String(),
  target: Type.Unsafe<Uint8Array>({}),
  digest: Type.Union([Type.String(), Type.Null()]),
})
type Muted = Static<typeof Muted>
const muted = rowOf(Muted)

interface MutedMonitor {
  readonly team_id: string
  readonly no: number
}

/**
 * Returns the key of a digest of messages whose mutes end alike. `mark`: of the destination. Those of a mute without an
 * end are by themselves until somebody ends it.
 */
export const mutedDigest = (mark: string, mute: Pick<Mute, 'since' | 'until'> | null): string =>
  `${mark}:${mute ? (mute.until ?? `open since ${mute.since}`) : 'ended'}`

const Current = Type.Object({ mute: Type.Unsafe<Mute | null>({}), now_ms: Type.Number() })
const current = rowOf(Current)

/**
 * Gives the messages that a mute of the monitor holds the time that its mute says now. Where it is not muted any more
 * they are sent, or wait for the end of quiet hours. They stay `muted` until then: so another mute holds them still,
 * and what fires before they are sent comes behind them. It locks the check, so that no run of it is recorded until the
 * transaction ends.
 */
export async function moveMuted(tx: Queryable, secrets: SecretBox, monitor: MutedMonitor): Promise<void> {
  const found = await tx.maybeOne(sql.type(current)`
    select case when m.deleted_at is null then c.mute end as mute,
      (extract(epoch from clock()) * 1000)::float8 as now_ms
    from checks c join monitors m on m.no = c.no where c.no = ${monitor.no} for update of c`)
  if (!found) return
  const mute = muteAt(found.mute, found.now_ms)
  const about = { teamId: monitor.team_id, secrets, mute, nowMs: found.now_ms }
  for (const outbox of OUTBOXES) {
    let after = '00000000-0000-0000-0000-000000000000'
    let place = 0
    for (;;) {
      const rows = await lockMuted(tx, outbox, { no: monitor.no, after })
      const moved = rows.map((row) => {
        const next = movedTo(row, { ...about, outbox, place })
        // Those that are sent together need no order.
        if (next.digest === null) place += 1
        return next
      })
      await moveTo(tx, outbox, moved)
      if (rows.length < BATCH) break
      after = rows.at(-1)?.id ?? after
    }
  }
}

const holding = rowOf(Type.Object({ no: Type.Integer() }))

/** Returns those of these monitors that have messages which a mute holds. */
export const findHolding = (store: Queryable, nos: readonly number[]): Promise<readonly number[]> =>
  store.anyFirst(sql.type(holding)`
    with given as (select unnest(${sql.array([...nos], 'int8')}) as no)
    select g.no from given g
    where exists (select from deliveries d where d.monitor_no = g.no and ${IS_MUTED})
      or exists (select from notices d where d.muted_no = g.no and ${IS_MUTED})
    order by g.no
  `)

/** Their ids are in the order in which they fired. */
const lockMuted = (tx: Queryable, outbox: Outbox, { no, after }: { readonly no: number; readonly after: string }) =>
  tx.any(sql.type(muted)`
    select d.id, d.target, ${outbox === 'deliveries' ? sql.fragment`d.digest` : sql.fragment`null`} as digest
    from ${sql.identifier([outbox])} d
    where ${OF_MONITOR[outbox]} = ${no} and ${IS_MUTED} and ${IS_OPEN[outbox]} and d.next_attempt_at > clock()
      and d.id > ${after}::uuid
    order by d.id
    limit ${BATCH}
    for update
  `)

interface Moved {
  readonly id: string
  /** Null: when somebody ends the mute. */
  readonly until: string | null
  readonly digest: string | null
}

interface Move {
  readonly outbox: Outbox
  readonly teamId: string
  readonly secrets: SecretBox
  /** Null: it has ended. */
  readonly mute: Mute | null
  readonly nowMs: number
  /** How many of the monitor are sent by themselves before it. */
  readonly place: number
}

function movedTo({ id, target, digest }: Muted, move: Move): Moved {
  const { mute, nowMs } = move
  const { quiet_hours: hours } = openTarget(move, id, target)
  const hold = heldUntil({ ...(hours && { quiet_hours: hours }) }, { mute }, nowMs)
  const startMs = hold ? hold.untilMs : nowMs
  const laterSeconds = digest === null ? apartSeconds(move.place) : hold ? 0 : GATHERED_SECONDS
  return {
    id,
    until: startMs === null ? null : new Date(startMs + laterSeconds * 1000).toISOString(),
    digest: digest && mutedDigest(digest.slice(0, digest.indexOf(':')), mute),
  }
}

/** One that cannot be opened is sent like the others, and fails then with its reason. */
function openTarget({ outbox, teamId, secrets }: Move, rowId: string, target: Uint8Array): Partial<SealedTarget> {
  try {
    return secrets.open({ teamId, column: `${outbox}.target`, rowId }, target) as SealedTarget
  } catch {
    return {}
  }
}

const apartSeconds = (place: number) =>
  Math.min(place * APART_SECONDS, MOST_APART_SECONDS) +
  Math.max(place - MOST_APART_SECONDS / APART_SECONDS, 0) * LATE_APART_SECONDS

/**
 * The earliest time of a message `o` that is sent by itself: those of its monitor that a mute holds, or held until now,
 * come before it, and so do those that were made since. Null: a mute holds none. `base` is the time at which it would
 * be sent.
 */
export const afterMuted = (outbox: Outbox, no: Fragment, base: Fragment) => sql.fragment`
  (select last.at + case
      when last.at < ${base} + make_interval(secs => ${MOST_APART_SECONDS})
        then make_interval(secs => ${APART_SECONDS})
      else make_interval(secs => ${LATE_APART_SECONDS}) end
    from (
      select max(d.next_attempt_at) as at from ${sql.identifier([outbox])} d
      where ${OF_MONITOR[outbox]} = ${no} and ${IS_MUTED} and ${IS_SINGLE[outbox]}
        and d.next_attempt_at < ${base} + ${SENT_BY}
    ) muted
    cross join lateral (
      select case when muted.at is not null then greatest(muted.at, (
        select max(d.next_attempt_at) from ${sql.identifier([outbox])} d
        where ${OF_MONITOR[outbox]} = ${no} and d.status = 'pending' and d.attempts = 0 and ${IS_SINGLE[outbox]}
          and d.next_attempt_at > muted.at and d.next_attempt_at < ${base} + ${SENT_BY})) end as at
    ) last)`

async function moveTo(tx: Queryable, outbox: Outbox, moved: readonly Moved[]): Promise<void> {
  if (moved.length === 0) return
  const columns = { id: 'uuid', until: 'timestamptz', digest: 'text' } as const
  await tx.query(sql.type(nothing)`
    update ${sql.identifier([outbox])} d
    set due_at = moved.at, next_attempt_at = moved.at
      ${outbox === 'deliveries' ? sql.fragment`, digest = i.digest` : sql.fragment``}
    from ${unnest('i', moved, columns)}
    join ${sql.identifier([outbox])} o on o.id = i.id
    cross join lateral (
      select least(i.until, ${lastMoment(sql.fragment`o.team_id`, sql.fragment`o.created_at`)}) as at
    ) moved
    where d.id = i.id and (d.next_attempt_at is distinct from moved.at
      ${outbox === 'deliveries' ? sql.fragment`or d.digest is distinct from i.digest` : sql.fragment``})
  `)
}

const stray = rowOf(Type.Object({ team_id: Type.String(), no: Type.Integer() }))

/**
 * Returns monitors with messages that wait longer than their mute says: it was changed in the moment in which they were
 * made, or the monitor was deleted. Those that wait for quiet hours are among them, and keep their time.
 */
export const findStrayMuted = (store: Queryable): Promise<readonly MutedMonitor[]> =>
  store.any(sql.type(stray)`
    with waiting as (
      select d.monitor_no as no, max(d.next_attempt_at) as at from deliveries d
      where ${IS_MUTED} and ${IS_OPEN.deliveries} group by 1
      union all
      select d.muted_no, max(d.next_attempt_at) from notices d where ${IS_MUTED} group by 1
    )
    select distinct c.team_id, c.no
    from waiting w join checks c on c.no = w.no join monitors m on m.no = c.no
    where w.at > clock() + ${SENT_BY}
      and (c.mute is null or m.deleted_at is not null or w.at > (c.mute ->> 'until')::timestamptz + ${SENT_AFTER_END})
    order by c.no
    limit 1000
  `)
