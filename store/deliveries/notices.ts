import Type, { type Static } from 'typebox'
import { sql } from 'slonik'
import { FAILURES_UNTIL_ERROR } from '../../core/schedule.ts'
import type { DeliveryStatus } from '../../schema/run/delivery.ts'
import { Choice } from '../../schema/shape/shape.ts'
import type { Queryable, Store, Transaction } from '../db/client.ts'
import { nothing, row, rowOf, unnest } from '../db/row.ts'

/**
 * Kinds of notices to an owner: the monitor failed five times in a row; every field of its readings is empty; it works
 * again.
 */
const NOTICE_KINDS = ['failing', 'recovered', 'field_missing'] as const
export type NoticeKind = (typeof NOTICE_KINDS)[number]

/** A finished check, and the notice that it causes. Null, in nearly all cases: no notice. */
export interface Noticed {
  readonly no: number
  readonly run_id: string
  readonly notice: NoticeKind | null
}

/**
 * Returns the notice that a run causes. Only the run that crosses the threshold causes one: the fifth failure in a
 * row, and the first success after it.
 */
export function noticeAfter(failuresBefore: number, hasFailed: boolean): NoticeKind | null {
  if (hasFailed) return failuresBefore === FAILURES_UNTIL_ERROR - 1 ? 'failing' : null
  return failuresBefore >= FAILURES_UNTIL_ERROR ? 'recovered' : null
}

/**
 * Records a batch. When a run in it causes a notice, the notice is written in the same transaction. A crash therefore
 * loses no notice, and a record that is retried because its outcome was unknown creates no second one. A batch without
 * notices costs nothing extra. Returns true when a notice may have been written.
 */
export async function recordWithNotices<T extends Noticed>(
  store: Store,
  runs: readonly T[],
  record: (on: Queryable, runs: readonly T[]) => Promise<{ has(no: number): boolean }>,
): Promise<boolean> {
  const withNotice = runs.filter(({ notice }) => notice !== null)
  if (withNotice.length === 0) {
    await record(store, runs)
    return false
  }
  await store.transaction(async (tx) => {
    const recorded = await record(tx, runs)
    const recordedWithNotice = withNotice.filter(({ no }) => recorded.has(no))
    if (recordedWithNotice.length > 0) await insertNotices(tx, recordedWithNotice)
  })
  return true
}

/**
 * Inserts notices only when the owner wants them and the monitor is scheduled: a monitor that a user paused causes no
 * notices. A recovery is reported only when the trouble before it was, and empty fields only once until then. SERP
 * monitors pause themselves instead.
 */
async function insertNotices(tx: Transaction, runs: readonly Noticed[]): Promise<void> {
  await tx.query(sql.type(nothing)`
    with t as (select clock() as at)
    insert into notices (id, team_id, monitor_no, run_id, kind, due_at, created_at)
    select uuid_v7(t.at), c.team_id, c.no, i.run_id, i.notice, t.at, t.at
    from t, ${unnest('i', runs, { no: 'int8', run_id: 'uuid', notice: 'text' })}
    join checks c on c.no = i.no
    join teams team on team.id = c.team_id
    left join lateral (
      select n.kind from notices n where n.monitor_no = c.no order by n.run_id desc limit 1
    ) last on true
    where team.error_notifications and c.next_run_at is not null and c.queue <> 'serp'
      and case i.notice
        when 'failing' then c.failures = ${FAILURES_UNTIL_ERROR}
        when 'field_missing' then last.kind is distinct from 'field_missing'
        else last.kind in ('failing', 'field_missing')
      end
    on conflict (monitor_no, run_id) do nothing
  `)
}

const Null = Type.Null()
/** A notice that is leased to this process, with the data for its mail. */
const ClaimedNotice = Type.Object({
  id: Type.String(),
  fence: Type.Integer(),
  kind: Choice(NOTICE_KINDS),
  /** Attempts recorded before this one. */
  attempts: Type.Integer(),
  run_id: Type.String(),
  created_at: Type.String(),
  monitor_id: Type.String(),
  name: Type.String(),
  url: Type.String(),
  failures: Type.Integer(),
  /** The address of the team's owner; null when the account is gone. */
  email: Type.Union([Type.String(), Null]),
  error_message: Type.Union([Type.String(), Null]),
})
export type ClaimedNotice = Static<typeof ClaimedNotice>
const claimedNotice = rowOf(ClaimedNotice)

/**
 * Claims due notices, the oldest first, so that a failure is reported before its recovery. A notice that is never
 * recorded is due again when the lease ends.
 */
export async function claimNotices(
  store: Store,
  { limit, leaseSeconds }: { readonly limit: number; readonly leaseSeconds: number },
): Promise<readonly ClaimedNotice[]> {
  return store.any(sql.prepared('claim_notices', claimedNotice)`
    with t as materialized (select clock() as at),
    picked as materialized (
      select id from notices where due_at <= (select at from t) order by due_at limit ${limit} for update skip locked
    ),
    held as (
      update notices n
      set due_at = t.at + make_interval(secs => ${leaseSeconds}), fence = n.fence + 1
      from picked, t
      where n.id = picked.id
      returning n.*
    )
    select h.id, h.fence, h.kind, h.attempts, h.run_id, h.created_at, m.id as monitor_id, m.name, m.url, c.failures,
      u.email, r.error_message
    from held h
    join monitors m on m.no = h.monitor_no
    join checks c on c.no = h.monitor_no
    join teams on teams.id = h.team_id
    left join auth.users u on u.id = teams.owner_user_id
    left join runs r on r.monitor_no = h.monitor_no and r.id = h.run_id
    order by h.created_at, h.id
  `)
}

/** A finished attempt and its consequences (`core/machine/delivery.ts`). */
interface NoticeRecord {
  readonly id: string
  readonly fence: number
  readonly status: DeliveryStatus
  readonly attempts: number
  /** Seconds from now to the next attempt. Null: there is no next attempt. */
  readonly retry_after_seconds: number | null
  readonly response: string | null
}

const recorded = row({ id: Type.String() })

/** Records an attempt under its fence. Returns false when the notice was claimed again meanwhile. */
export async function recordNotice(store: Store, notice: NoticeRecord): Promise<boolean> {
  const done = await store.maybeOne(sql.prepared('record_notice', recorded)`
    update notices
    set fence = fence + 1, status = ${notice.status}, attempts = ${notice.attempts}, response = ${notice.response},
      due_at = clock() + make_interval(secs => ${notice.retry_after_seconds}::int)
    where id = ${notice.id}::uuid and fence = ${notice.fence}
    returning id
  `)
  return done !== null
}

/** Releases a notice without sending it. It is due at once, and no attempt is counted. */
export async function releaseNotice(store: Store, { id, fence }: { readonly id: string; readonly fence: number }) {
  await store.query(sql.prepared('release_notice', nothing)`
    update notices set fence = fence + 1, due_at = clock() where id = ${id}::uuid and fence = ${fence}
  `)
}
