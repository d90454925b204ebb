import { randomUUID } from 'node:crypto'
import { noticesAfter } from '../../../core/run-notices.ts'
import { presentOf, UNTOLD } from '../../../core/serp/ended-search.ts'
import type { DeliveryConfig } from '../../../schema/monitor/delivery-config.ts'
import type { SerpCheck } from '../../../schema/serp/serp-check.ts'
import type { SerpEngine } from '../../../schema/serp/serp-search.ts'
import { recordWithNotices } from '../../../store/deliveries/run-events.ts'
import { claimSearches, type SearchClaim } from '../../../store/queue/claim-search.ts'
import type { ClaimedSearch } from '../../../store/queue/claim.ts'
import {
  type FailedSearch,
  recordFailedSearches,
  recordFoundSearches,
  type SearchRecording,
} from '../../../store/queue/record-search.ts'
import { readingRun } from './finished-runs.ts'
import type { QueueDatabase } from './queue-database.ts'

interface SearchOptions {
  readonly engine?: SerpEngine
  readonly keyword?: string
  readonly mode?: 'rank_tracking' | 'full_analysis'
  readonly target?: string | null
  readonly threshold?: number | null
  readonly pages?: number
  readonly interval?: number
  readonly deliveries?: readonly DeliveryConfig[]
  readonly notifyOn?: readonly string[]
  /** How long ago it became due. Default 1. */
  readonly dueSeconds?: number
}

/** Inserts a monitor of a search. Returns its number. */
export async function addSearch(database: QueueDatabase, teamId: string, options: SearchOptions = {}): Promise<number> {
  const id = randomUUID()
  const { mode = 'rank_tracking', deliveries, pages = 1, interval = 600 } = options
  const target = mode === 'full_analysis' ? null : options.target === undefined ? 'example.com' : options.target
  const sealed = (column: 'monitors.deliveries' | 'monitors.signing_secret', value: unknown) =>
    value === undefined ? null : database.secrets.seal({ teamId, column, rowId: id }, value)
  const [made] = await database.query<{ no: number }>(
    `with m as (
       insert into monitors (id, kind, team_id, user_id, name, schedule_interval_seconds, keyword, engine, mode, pages,
         location_code, language_code, device, target_domain, rank_change_threshold, deliveries, signing_secret,
         notify_on)
       values ($1, 'serp', $2, gen_random_uuid(), 'S', $3, $4, $5, $6, $7, 'us', 'en', 'desktop', $8, $9, $10, $11, $13)
       returning no
     ), c as (
       insert into checks (no, team_id, queue, due_at, next_run_at, interval_seconds, shift_seconds, cost)
       select no, $2, 'serp', at, at, $3, 0, $7 from m, (select clock() - make_interval(secs => $12) as at) due
     )
     select no::float8 from m`,
    [
      id,
      teamId,
      interval,
      options.keyword ?? 'shoes',
      options.engine ?? 'google',
      mode,
      pages,
      target,
      options.threshold ?? null,
      sealed('monitors.deliveries', deliveries),
      sealed('monitors.signing_secret', deliveries && 'a'.repeat(64)),
      options.dueSeconds ?? 1,
      options.notifyOn ?? [],
    ],
  )
  if (!made) throw new Error('no monitor')
  return made.no
}

/** An engine that has refused is left alone from now on, for fifteen minutes. */
export const leaveAlone = ({ query }: Pick<QueueDatabase, 'query'>, engine: SerpEngine = 'google') =>
  query(
    `insert into serp_engines (engine, refusals, refused_until) values ($1, 1, clock() + interval '15 minutes')
     on conflict (engine) do update set refusals = 1, refused_until = excluded.refused_until`,
    [engine],
  )

const CLAIM: SearchClaim = { exit: 'here', limit: 10, leaseSeconds: 60, holder: null, hasProvider: false }

export const claimIn = (database: QueueDatabase, more: Partial<SearchClaim> = {}): Promise<readonly ClaimedSearch[]> =>
  claimSearches(database.store, { ...CLAIM, ...more })

const RECORDING: SearchRecording = { spacingMs: 0, mails: { add: async () => true }, linkOf: () => null }

/** How a check ended, and what of its run is not as usual. */
interface Found extends Partial<Pick<FailedSearch, 'refused' | 'healthy' | 'error_code'>> {
  readonly outcome: SerpCheck['outcome']
  readonly organic_results?: string
}

/** Records the end of a claimed check. */
export async function recordIn(
  database: QueueDatabase,
  { no, fence, run_id, search, failures, was_failing: wasFailing }: ClaimedSearch,
  found: Found,
  more: Partial<SearchRecording> = {},
): Promise<ReadonlySet<number>> {
  const { outcome, organic_results = null, error_code = 'blocked', refused = outcome === 'blocked' } = found
  const recording = { ...RECORDING, ...more }
  const isFailed = outcome !== 'ok' && outcome !== 'zero'
  const common = {
    ...{ no, fence, run_id, start_offset_ms: 0, duration_ms: 5, fetch_reason: null },
    fetch_method: 'browser',
    ...{ engine: search.engine, refused, healthy: found.healthy ?? !isFailed },
    own: { organic_results, target_rank: null, rank_delta: null, ...presentOf(UNTOLD), serp_check: '{}' },
    notices: error_code === 'internal' ? [] : noticesAfter({ failures, wasFailing }, isFailed),
  } as const
  const recorded = new Set<number>()
  const note = (one: { has(no: number): boolean }) => {
    if (one.has(no)) recorded.add(no)
    return one
  }
  if (isFailed) {
    const waits = { waits: outcome === 'blocked' || outcome === 'left_alone', is_put_off: outcome === 'left_alone' }
    const run = { ...common, ...waits, error_code, error_message: 'It did not work.', retry_after_ms: 0, failures }
    await recordWithNotices(database.store, [run], async (on, rows) =>
      note(await recordFailedSearches(on, rows, recording)),
    )
  } else {
    const read = { no, fence, run_id }
    const run = { ...readingRun(read, {}), ...common, ...NOT_OF_PAGES }
    await recordWithNotices(database.store, [run], async (on, rows) =>
      note(await recordFoundSearches(on, rows, recording)),
    )
  }
  return recorded
}

const NOT_OF_PAGES = { etag: null, body_hash: null, reading_hash: null, extracted: null, read_by: 0, is_reading: false }

/** Claims the one check that is due, and records how it ended. */
export async function checkIn(
  database: QueueDatabase,
  found: Found,
  more: Partial<SearchRecording> = {},
): Promise<ClaimedSearch> {
  const [claimed] = await claimIn(database)
  if (!claimed) throw new Error('nothing was claimed')
  await recordIn(database, claimed, found, more)
  return claimed
}

/** Ends what a test leaves: no search is due, no engine is left alone, and the clock is true again. */
export async function resetSearches(database: QueueDatabase): Promise<void> {
  await database.setClock('0')
  await database.query('update checks set due_at = null, next_run_at = null, run_id = null, queued_run_id = null')
  await database.query('delete from serp_exits')
  await database.query('delete from serp_engines')
}
