import { sql } from 'slonik'
import Type, { type Static } from 'typebox'
import { type HeldByMonitor, heldUntil } from '../../core/hold/held-until.ts'
import type { Mute } from '../../schema/monitor/mute.ts'
import type { HoldReason } from '../../schema/monitor/quiet-hours.ts'
import type { Queryable } from '../db/client.ts'
import { nothing, rowOf, unnest } from '../db/row.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import type { Outbox } from './delivery-lease.ts'
import { lastMoment } from './last-moment.ts'
import type { SealedTarget } from './sealed-target.ts'

/** Messages that a mute holds wait until it ends. When the mute changes, they get another time. */

const OUTBOXES = ['deliveries', 'notices'] as const satisfies readonly Outbox[]

/** Messages that are read at once. */
const BATCH = 1_000

/** Monitors that are unmuted within this time send one message to a destination. */
const GATHERED_SECONDS = 5

/** From one message of a monitor to the next, where each is sent by itself: so they arrive in their order. */
const APART_SECONDS = 1
/** From here on they are sent at once: so a receiver is not late for hours. */
const MOST_APART_SECONDS = 3_600

const Muted = Type.Object({
  id: Type.String(),
  target: Type.Unsafe<Uint8Array>({}),
  digest: Type.Union([Type.String(), Type.Null()]),
  now_ms: Type.Number(),
})
type Muted = Static<typeof Muted>
const muted = rowOf(Muted)

interface MutedMonitor {
  readonly team_id: string
  readonly no: number
}

/** Returns the key of a digest of what mutes hold that end alike. `mark`: of the destination. */
export const mutedDigest = (mark: string, mute: Pick<Mute, 'until'> | null): string =>
  `${mark}:${mute ? (mute.until ?? 'open') : 'ended'}`

/**
 * Gives the messages that a mute of the monitor holds the time that its mute says now; null: it is not muted, so that
 * they are sent, unless there are quiet hours. The caller has locked the monitor.
 */
export async function moveMuted(
  tx: Queryable,
  secrets: SecretBox,
  { monitor, mute }: { readonly monitor: MutedMonitor; readonly mute: Mute | null },
): Promise<void> {
  for (const outbox of OUTBOXES) {
    let after = '00000000-0000-0000-0000-000000000000'
    let place = 0
    for (;;) {
      const rows = await lockMuted(tx, outbox, { no: monitor.no, after })
      const moved = rows.map((row) => {
        const next = movedTo(row, { outbox, teamId: monitor.team_id, secrets, mute, place })
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

/** Their ids are in the order in which they fired. */
const lockMuted = (tx: Queryable, outbox: Outbox, { no, after }: { readonly no: number; readonly after: string }) =>
  tx.any(sql.type(muted)`
    select d.id, d.target, ${outbox === 'deliveries' ? sql.fragment`d.digest` : sql.fragment`null`} as digest,
      (extract(epoch from clock()) * 1000)::float8 as now_ms
    from ${sql.identifier([outbox])} d
    where ${outbox === 'deliveries' ? sql.fragment`d.monitor_no` : sql.fragment`d.muted_no`} = ${no}
      and ${outbox === 'deliveries' ? sql.fragment`d.digest_of is null` : sql.fragment`true`}
      and d.held = 'muted' and d.status = 'pending' and d.attempts = 0 and d.next_attempt_at > clock()
      and d.id > ${after}::uuid
    order by d.id
    limit ${BATCH}
    for update
  `)

interface Moved {
  readonly id: string
  readonly held: HoldReason | null
  /** Null: when somebody ends the mute. */
  readonly until: string | null
  readonly digest: string | null
}

interface Move {
  readonly outbox: Outbox
  readonly teamId: string
  readonly secrets: SecretBox
  readonly mute: HeldByMonitor['mute']
  /** How many of the monitor are sent by themselves before it. */
  readonly place: number
}

function movedTo({ id, target, digest, now_ms: nowMs }: Muted, move: Move): Moved {
  const { quiet_hours: hours } = openTarget(move, id, target)
  const hold = heldUntil({ ...(hours && { quiet_hours: hours }) }, { mute: move.mute ?? null }, nowMs)
  const startMs = hold ? hold.untilMs : nowMs
  const laterSeconds = digest === null ? apartSeconds(move.place) : hold ? 0 : GATHERED_SECONDS
  return {
    id,
    held: hold && hold.reason,
    until: startMs === null ? null : new Date(startMs + laterSeconds * 1000).toISOString(),
    digest: digest && mutedDigest(digest.slice(0, digest.indexOf(':')), move.mute ?? null),
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

const apartSeconds = (place: number) => Math.min(place * APART_SECONDS, MOST_APART_SECONDS)

/** How much later a message `o` of a mute is sent that is sent by itself: those of the monitor before it come first. */
export const LATER_THAN_OTHERS = sql.fragment`
  case when o.held = 'muted' and o.digest is null then make_interval(secs => least(${MOST_APART_SECONDS},
    ${APART_SECONDS} * (select count(*) from deliveries d
      where d.monitor_no = o.no and d.held = 'muted' and d.status = 'pending' and d.digest is null)))
    else interval '0' end`

async function moveTo(tx: Queryable, outbox: Outbox, moved: readonly Moved[]): Promise<void> {
  if (moved.length === 0) return
  const columns = { id: 'uuid', held: 'text', until: 'timestamptz', digest: 'text' } as const
  await tx.query(sql.type(nothing)`
    update ${sql.identifier([outbox])} d
    set held = i.held, due_at = moved.at, next_attempt_at = moved.at
      ${outbox === 'deliveries' ? sql.fragment`, digest = i.digest` : sql.fragment``}
    from ${unnest('i', moved, columns)}
    join ${sql.identifier([outbox])} o on o.id = i.id
    cross join lateral (
      select least(i.until, ${lastMoment(sql.fragment`o.team_id`, sql.fragment`o.created_at`)}) as at
    ) moved
    where d.id = i.id
  `)
}

const stray = rowOf(Type.Object({ team_id: Type.String(), no: Type.Integer() }))

/**
 * Returns monitors whose mute has ended and that have messages which still wait for its end: their checks ended in the
 * same moment, or the monitor was deleted.
 */
export const findStrayMuted = (store: Queryable): Promise<readonly MutedMonitor[]> =>
  store.any(sql.type(stray)`
    with waiting as (
      select monitor_no as no, next_attempt_at from deliveries
      where held = 'muted' and status = 'pending' and attempts = 0 and digest_of is null
      union all
      select muted_no, next_attempt_at from notices where held = 'muted' and status = 'pending' and attempts = 0
    )
    select distinct c.team_id, c.no
    from waiting w join checks c on c.no = w.no
    where w.next_attempt_at > clock()
      -- Quiet hours may follow, which are shorter than a day.
      and (c.mute is null or w.next_attempt_at > (c.mute ->> 'until')::timestamptz + interval '2 days')
    limit 100
  `)
