import { sql } from 'slonik'
import Type, { type Static } from 'typebox'
import { FAILURES_UNTIL_PAUSED } from '../../core/schedule.ts'
import { SYSTEM } from '../../schema/account/audit.ts'
import type { RunFaultCode } from '../../schema/run/run-fault.ts'
import type { FetchMethod } from '../../schema/run/run.ts'
import type { SerpCheck } from '../../schema/serp/serp-check.ts'
import { SerpSearch } from '../../schema/serp/serp-search.ts'
import type { MailQueue } from '../accounts/mail-queue.ts'
import type { Queryable, Store, Transaction } from '../db/client.ts'
import { row, rowOf, unnest } from '../db/row.ts'
import type { DeliveryRow } from '../deliveries/delivery-row.ts'
import { FAILING, insertRunEvents, type Noticed } from '../deliveries/notices.ts'
import { searchOf } from './claim.ts'
import { endSearches, type EndedSearch } from './end-searches.ts'
import { ended, insertDeliveries, IS_HELD, NEXT_RUN, PRICE_AFTER, WAS_FAILING } from './finished-check.ts'

const Null = Type.Null()

/** What a finished check of a search is compared with, and who is notified. */
const SearchBaseline = Type.Object({
  /** The run that stores the results. Null: there is no baseline, and this check fires nothing. */
  reading_id: Type.Union([Type.String(), Null]),
  /** A `SearchReading` of core/serp/kept-reading.ts. */
  extracted: Type.Unknown(),
  monitor_id: Type.String(),
  name: Type.String(),
  search: SerpSearch,
  mode: Type.Unsafe<'rank_tracking' | 'full_analysis'>({ type: 'string' }),
  target_domain: Type.Union([Type.String(), Null]),
  rank_change_threshold: Type.Union([Type.Integer(), Null]),
  deliveries: Type.Unsafe<Buffer | null>({}),
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
      m.id as monitor_id, m.name,
      ${searchOf(sql.fragment`c.cost`)} as search,
      m.mode, m.target_domain, m.rank_change_threshold, m.deliveries
    from checks c join monitors m on m.no = c.no and m.kind = 'serp' left join baselines b on b.no = c.no
    where c.no = ${no} and c.fence = ${fence} and c.run_id is not null
  `)
}

/** A finished check of a search. */
export interface SearchRun extends Noticed, EndedSearch {
  readonly start_offset_ms: number
  readonly duration_ms: number
  readonly fetch_method: FetchMethod | null
  readonly outcome: SerpCheck['outcome']
  /** Null: the check has results, or the engine has none. */
  readonly error_code: RunFaultCode | null
  readonly error_message: string | null
  /** JSON text of the results. Null: there are none, or they equal those of `reading_id`. */
  readonly organic_results: string | null
  readonly reading_id: string | null
  /** This run stores the results of the next baseline. */
  readonly is_reading: boolean
  /** JSON text of the next baseline. Null: the baseline stays. */
  readonly kept: string | null
  readonly target_rank: number | null
  readonly rank_delta: number | null
  readonly ai_overview_present: boolean | null
  readonly featured_snippet_present: boolean | null
  /** JSON text of a `SerpCheck`. */
  readonly serp_check: string
  readonly warnings: string | null
  /** It fired, whether or not there is a destination. */
  readonly fired: boolean
  readonly deliveries: readonly DeliveryRow[]
}

const COLUMNS = {
  no: 'int8',
  fence: 'int4',
  run_id: 'uuid',
  start_offset_ms: 'int4',
  duration_ms: 'int4',
  fetch_method: 'fetch_method',
  outcome: 'text',
  wait_ms: 'int8',
  error_code: 'text',
  error_message: 'text',
  organic_results: 'json',
  reading_id: 'uuid',
  is_reading: 'bool',
  kept: 'json',
  target_rank: 'int4',
  rank_delta: 'int4',
  ai_overview_present: 'bool',
  featured_snippet_present: 'bool',
  serp_check: 'json',
  warnings: 'json',
  fired: 'bool',
  triggered: 'bool',
} as const

const UNTIL_PAUSED = sql.literalValue(String(FAILURES_UNTIL_PAUSED))

/** An internal error says nothing about the engine or the monitor, and is not counted. */
const COUNTED = sql.fragment`(i.error_code is not null and i.error_code <> 'internal')::int`
const IS_PAUSED = sql.fragment`
  (c.next_run_at is not null and ${COUNTED} = 1 and c.failures + 1 >= ${UNTIL_PAUSED}::int)`

/** When the engine may be asked again. */
const ASKED_AGAIN = sql.fragment`t.at + make_interval(secs => i.wait_ms / 1000.0)`

/**
 * The next time. A check that fell into the time of a pause is due at its end, whatever its interval, so that a pause
 * costs one failure. One that was refused is not due before it.
 */
const NEXT = sql.fragment`
  case
    when c.next_run_at is null or ${IS_PAUSED} then null
    when i.outcome = 'left_alone' and c.next_run_at <= t.at then ${ASKED_AGAIN}
    when i.outcome in ('left_alone', 'blocked') then greatest(${NEXT_RUN}, ${ASKED_AGAIN})
    else ${NEXT_RUN}
  end`

const recorded = row({
  no: Type.Integer(),
  team_id: Type.String(),
  is_paused: Type.Boolean(),
  failures: Type.Integer(),
  monitor_id: Type.String(),
  name: Type.String(),
  owner_email: Type.Union([Type.String(), Null]),
})

/** What recording needs besides the store. */
export interface SearchRecording {
  /** From the end of a check to the next one of the same engine and exit, at least. */
  readonly spacingMs: number
  readonly mails: Pick<MailQueue, 'add'>
  /** The address of the monitor's page. Null: there is no dashboard. */
  linkOf(monitorId: string): string | null
}

/**
 * Records finished checks of searches: check, baseline, run, deliveries, notices, the exit that is free again, and the
 * pause of an engine. The tenth failure in a row pauses the monitor, which is written down with the actor System. The
 * owner is notified by mail, and so are the destinations that want to know of failures. Everything is in one
 * transaction. Returns the numbers that were recorded.
 */
export async function recordSearches(
  store: Store,
  runs: readonly SearchRun[],
  recording: SearchRecording,
): Promise<ReadonlySet<number>> {
  return store.transaction(async (tx) => {
    const waits = await endSearches(tx, runs, recording.spacingMs)
    const rows = await write(
      tx,
      runs.map((run) => ({ ...run, wait_ms: waits.get(run.engine) ?? 0 })),
    )
    const recorded = new Map(rows.map((one) => [one.no, one]))
    const noticed = runs.flatMap((run) => {
      const one = recorded.get(run.no)
      const notices = one?.is_paused ? FAILING : run.notices
      return one && notices.length > 0 ? [{ ...run, notices }] : []
    })
    if (noticed.length > 0) await insertRunEvents(tx, noticed)
    for (const one of rows.filter(({ is_paused }) => is_paused)) await notifyOfPause(tx, one, runs, recording)
    return new Set(recorded.keys())
  })
}

async function write(on: Queryable, runs: readonly (SearchRun & { readonly wait_ms: number })[]) {
  const searches = runs.map((run) => ({ ...run, triggered: run.deliveries.length > 0 }))
  return on.any(sql.prepared('record_searches', recorded)`
    with t as materialized (select clock() as at),
    input as materialized (select * from ${unnest('i', searches, COLUMNS)}),
    -- What a person does to a monitor locks it before its check.
    locked as materialized (
      select m.no from monitors m
      where m.no in (
        select i.no from input i join checks c on c.no = i.no
        where i.error_code is not null and c.failures + 1 >= ${UNTIL_PAUSED}::int)
      order by m.no
      for no key update of m
    ),
    moved as (
      update checks c
      set ${ended(NEXT)},
        cost = ${PRICE_AFTER},
        is_unpaid = false,
        failures = case when i.error_code is null then 0 else c.failures + ${COUNTED} end,
        -- The recovery of a paused monitor is not reported, so it is remembered.
        was_failing = case when i.error_code is null then c.next_run_at is null and ${WAS_FAILING}
          else c.was_failing end,
        reading_id = case when i.is_reading then i.run_id else c.reading_id end
      from input i, t
      where ${IS_HELD} and (select count(*) from locked) >= 0
      returning c.no, c.team_id, i.run_id, c.failures,
        i.error_code is not null and i.error_code <> 'internal' and c.failures >= ${UNTIL_PAUSED}::int as is_at_limit
    ),
    kept as (
      insert into baselines (no, team_id, extracted)
      select moved.no, moved.team_id, i.kept from moved join input i on i.no = moved.no
      where i.kept is not null
      on conflict (no) do update set extracted = excluded.extracted
    ),
    inserted as (
      insert into runs (
        monitor_no, id, team_id, reading_id, start_offset_ms, duration_ms, status, fetch_method, fired,
        delivery_triggered, error_code, error_message, warnings, organic_results, target_rank, rank_delta,
        ai_overview_present, featured_snippet_present, serp_check)
      select i.no, i.run_id, m.team_id, i.reading_id, i.start_offset_ms, i.duration_ms,
        case when i.error_code is null then 'success'::run_status else 'error' end, i.fetch_method, i.fired,
        i.triggered, i.error_code, i.error_message, i.warnings, i.organic_results, i.target_rank, i.rank_delta,
        i.ai_overview_present, i.featured_snippet_present, i.serp_check
      from moved m join input i on i.no = m.no
    ),
    sent as (
      ${insertDeliveries(runs)}
    ),
    stopped as (
      update monitors m set paused = true from moved
      where m.no = moved.no and moved.is_at_limit and not (m.paused or m.locked or m.suspended)
      returning m.no, m.id, m.team_id, m.name
    ),
    audited as (
      insert into audit_events (
        team_id, action, target_type, target_id, target_label, actor_type, actor_label, metadata)
      select team_id, 'serp_monitor.paused', 'serp_monitor', id::text, name, ${SYSTEM.type}, ${SYSTEM.label},
        jsonb_build_object('consecutive_failures', ${UNTIL_PAUSED}::int)
      from stopped
    )
    select moved.no, moved.team_id, moved.failures, stopped.no is not null as is_paused, m.id as monitor_id, m.name,
      case when stopped.no is not null then u.email end as owner_email
    from moved join monitors m on m.no = moved.no left join stopped on stopped.no = moved.no
    join teams team on team.id = moved.team_id left join auth.users u on u.id = team.owner_user_id
  `)
}

async function notifyOfPause(
  tx: Transaction,
  paused: { readonly no: number; readonly team_id: string; readonly failures: number } & {
    readonly monitor_id: string
    readonly name: string
    readonly owner_email: string | null
  },
  runs: readonly SearchRun[],
  { mails, linkOf }: SearchRecording,
): Promise<void> {
  if (paused.owner_email === null) return
  await mails.add(tx, {
    kind: 'serp_auto_paused',
    teamId: paused.team_id,
    to: paused.owner_email,
    link: linkOf(paused.monitor_id),
    monitor_name: paused.name,
    consecutive_failures: paused.failures,
    reason: runs.find(({ no }) => no === paused.no)?.error_message ?? '',
  })
}
