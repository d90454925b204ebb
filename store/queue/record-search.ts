import { sql } from 'slonik'
import Type, { type Static } from 'typebox'
import type { MonitorSummary } from '../../core/overview/monitor-summary.ts'
import { FAILING } from '../../core/run-notices.ts'
import { FAILURES_UNTIL_PAUSED } from '../../core/schedule.ts'
import { SYSTEM } from '../../schema/account/audit.ts'
import type { MessageConfig } from '../../schema/message/message.ts'
import type { DigestConfig } from '../../schema/monitor/digest.ts'
import type { Mute } from '../../schema/monitor/mute.ts'
import type { QuietHours } from '../../schema/monitor/quiet-hours.ts'
import { SerpSearch } from '../../schema/serp/serp-search.ts'
import type { MailQueue } from '../accounts/mail-queue.ts'
import type { Queryable, Store, Transaction } from '../db/client.ts'
import { nothing, row, rowOf } from '../db/row.ts'
import { insertRunEvents } from '../deliveries/run-events.ts'
import { SEARCH_RUN_COLUMNS, type SearchValues } from '../runs/run-record.ts'
import { searchOf } from './claim.ts'
import { type EndedSearch, endSearches } from './end-searches.ts'
import { PRICE_AFTER } from './finished-check.ts'
import { type FailedRun, recordFailed } from './record-failed.ts'
import { type ReadingRun, recordReadings } from './record-reading.ts'
import type { RunsOfKind } from './runs-of-kind.ts'

const Null = Type.Null()

/** The baseline that a finished check of a search is compared with, and what a notification needs of its monitor. */
const SearchBaseline = Type.Object({
  /** The run that stores the results. Null: there is no baseline, and this check fires nothing. */
  reading_id: Type.Union([Type.String(), Null]),
  /** A `KeptReading` of core/serp/kept-reading.ts. */
  extracted: Type.Unknown(),
  /** The monitor's row in lists. Null: an earlier version recorded the last check, or there was none. */
  summary: Type.Unsafe<MonitorSummary | null>({}),
  monitor_id: Type.String(),
  name: Type.String(),
  search: SerpSearch,
  mode: Type.Unsafe<'rank_tracking' | 'full_analysis'>({ type: 'string' }),
  target_domain: Type.Union([Type.String(), Null]),
  rank_change_threshold: Type.Union([Type.Integer(), Null]),
  deliveries: Type.Unsafe<Buffer | null>({}),
  quiet_hours: Type.Unsafe<QuietHours | null>({}),
  message: Type.Unsafe<MessageConfig | null>({}),
  digest: Type.Unsafe<DigestConfig | null>({}),
  mute: Type.Unsafe<Mute | null>({}),
  labels: Type.Unsafe<Readonly<Record<string, string>>>({}),
})
export type SearchBaseline = Static<typeof SearchBaseline>
const baseline = rowOf(SearchBaseline)

/** Returns the baseline and the configuration of a claimed check. Null: the check lost its fence. */
export async function findSearchBaseline(
  store: Store,
  { no, fence }: { readonly no: number; readonly fence: number },
): Promise<SearchBaseline | null> {
  return store.maybeOne(sql.prepared('find_search_baseline', baseline)`
    select c.reading_id, case when c.reading_id is not null then b.extracted end as extracted,
      b.summary, m.id as monitor_id, m.name,
      ${searchOf(sql.fragment`c.cost`)} as search,
      m.mode, m.target_domain, m.rank_change_threshold, m.deliveries, m.quiet_hours, m.message, m.digest, c.mute,
      coalesce(m.labels, '{}') as labels
    from checks c join monitors m on m.no = c.no and m.kind = 'serp' left join baselines b on b.no = c.no
    where c.no = ${no} and c.fence = ${fence} and c.run_id is not null
  `)
}

/** Searches pause after ten failures, and do not back off before. */
export const SEARCH_RUNS: RunsOfKind = {
  name: '_of_searches',
  columns: SEARCH_RUN_COLUMNS,
  ended: sql.fragment`, cost = ${PRICE_AFTER}, is_unpaid = false`,
  backsOff: false,
}

/** A finished check of a search that has results, or whose engine has none. */
export interface FoundSearch extends ReadingRun, EndedSearch {
  readonly own: SearchValues
}

/** One that obtained nothing. */
export interface FailedSearch extends FailedRun, EndedSearch {
  readonly own: SearchValues
  /** It is not made before the end of the engine's pause. */
  readonly waits: boolean
  /** Failures in a row before it. */
  readonly failures: number
}

export interface SearchRecording {
  /** From the end of a check to the next one of the same engine and exit, at least. */
  readonly spacingMs: number
  readonly mails: Pick<MailQueue, 'add'>
  /** The address of the monitor's page. Null: there is no dashboard. */
  linkOf(monitorId: string): string | null
}

/*
 * A search is recorded as a page is, in one transaction with the end at its engine. The end comes first, because a
 * check that was refused is due when its engine may be asked again. A process that dies between the two has written
 * neither: the engine has refused nothing, the exit is free when its lease ends, and the check is made again then, with
 * the same run.
 */

/** Records checks that have results. Returns the numbers that were recorded. */
export const recordFoundSearches = (
  on: Queryable,
  runs: readonly FoundSearch[],
  { spacingMs }: SearchRecording,
): Promise<ReadonlySet<number>> =>
  on.transaction(async (tx) => {
    await endSearches(tx, runs, spacingMs)
    return recordReadings(tx, runs, SEARCH_RUNS)
  })

/**
 * Records checks that obtained nothing. The tenth failure in a row pauses the monitor, which is written down with the
 * actor System. The owner is notified by mail, and so are the destinations that want to know of failures. Returns the
 * failures in a row by the numbers that were recorded.
 */
export const recordFailedSearches = (
  on: Queryable,
  runs: readonly FailedSearch[],
  recording: SearchRecording,
): Promise<ReadonlyMap<number, number>> =>
  on.transaction(async (tx) => {
    await lockMonitors(tx, runs.filter(isLast))
    const waits = await endSearches(tx, runs, recording.spacingMs)
    const waiting = runs.map((run) => ({ ...run, retry_after_ms: run.waits ? (waits.get(run.engine) ?? 0) : 0 }))
    const failures = await recordFailed(tx, waiting, SEARCH_RUNS)
    const stopped = runs.filter((run) => isLast(run) && (failures.get(run.no) ?? 0) >= FAILURES_UNTIL_PAUSED)
    if (stopped.length > 0) await pauseFailing(tx, stopped, recording)
    return failures
  })

/** An internal error is not counted. */
const isLast = ({ failures, error_code: code }: FailedSearch): boolean =>
  code !== 'internal' && failures + 1 >= FAILURES_UNTIL_PAUSED

/** Requests lock a monitor before its check. A pause keeps the same order, so that the two cannot block each other. */
async function lockMonitors(tx: Transaction, runs: readonly FailedSearch[]): Promise<void> {
  if (runs.length === 0) return
  await tx.query(sql.type(nothing)`
    select from monitors where no = any(${numbersOf(runs)}) order by no for no key update
  `)
}

const numbersOf = (runs: readonly FailedSearch[]) =>
  sql.array(
    runs.map(({ no }) => no),
    'int8',
  )

const paused = row({
  no: Type.Integer(),
  team_id: Type.String(),
  failures: Type.Integer(),
  monitor_id: Type.String(),
  name: Type.String(),
  owner_email: Type.Union([Type.String(), Null]),
})

async function pauseFailing(
  tx: Transaction,
  runs: readonly FailedSearch[],
  { mails, linkOf }: SearchRecording,
): Promise<void> {
  const rows = await tx.any(sql.prepared('pause_failing', paused)`
    with stopped as (
      update monitors m set paused = true
      where m.no = any(${numbersOf(runs)}) and not (m.paused or m.locked or m.suspended)
      returning m.no, m.id, m.team_id, m.name
    ),
    unscheduled as (
      update checks c set next_run_at = null, due_at = case when c.queued_run_id is not null then c.due_at end
      from stopped where c.no = stopped.no
      returning c.no, c.failures
    ),
    audited as (
      insert into audit_events (
        team_id, action, target_type, target_id, target_label, actor_type, actor_label, metadata)
      select team_id, 'serp_monitor.paused', 'serp_monitor', id::text, name, ${SYSTEM.type}, ${SYSTEM.label},
        jsonb_build_object('consecutive_failures', ${sql.literalValue(String(FAILURES_UNTIL_PAUSED))}::int)
      from stopped
    )
    select stopped.no, stopped.team_id, c.failures, stopped.id as monitor_id, stopped.name, u.email as owner_email
    from stopped join unscheduled c on c.no = stopped.no
    join teams team on team.id = stopped.team_id left join auth.users u on u.id = team.owner_user_id
  `)
  const about = rows.flatMap((stopped) => runs.filter(({ no }) => no === stopped.no).map((run) => ({ run, stopped })))
  if (about.length > 0)
    await insertRunEvents(
      tx,
      about.map(({ run }) => ({ ...run, notices: FAILING })),
    )
  for (const { run, stopped } of about)
    if (stopped.owner_email !== null)
      await mails.add(tx, {
        kind: 'serp_auto_paused',
        teamId: stopped.team_id,
        to: stopped.owner_email,
        link: linkOf(stopped.monitor_id),
        monitor_name: stopped.name,
        consecutive_failures: stopped.failures,
        reason: run.error_message,
      })
}
