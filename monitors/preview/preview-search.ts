import type { DiskFull } from '../../core/disk-guard.ts'
import { presentOf, serpCheckOf, UNTOLD } from '../../core/serp/ended-search.ts'
import { searchUrl } from '../../core/serp/search-url.ts'
import { targetRank } from '../../core/serp/target-rank.ts'
import type { Reading } from '../../runners/check/reading.ts'
import { leftAlone } from '../../runners/serp/search-reading.ts'
import type { SerpPreview } from '../../schema/serp/serp-check.ts'
import { ENGINE_NAMES, type SerpSearch } from '../../schema/serp/serp-search.ts'
import type { AskedWork } from '../../store/asked/asked-work.ts'
import type { Store } from '../../store/db/client.ts'
import { areExitsBusy, engineRefusedUntil } from '../../store/queue/search-exits.ts'
import type { Locked, OutOfRuns } from '../outcome.ts'
import { paidWork } from '../paid-work.ts'
import type { PreviewLimit, Stopping, Unanswered } from './preview-monitor.ts'

type Ended = Extract<Reading, { kind: 'search' | 'failed' }>

/** The slots for previews, as far as searches need them. */
interface SearchSlots {
  enter(teamId: string): SearchSlot | PreviewLimit | DiskFull
}

interface SearchSlot {
  readonly kind: 'place'
  /** Makes the search here, or has a runner make it. `work` is what was paid for. Null: neither can be. */
  readonly search: ((search: SerpSearch, work: AskedWork, store: Store) => Promise<SearchEnd>) | null
  leave(): void
}

type SearchEnd =
  | { readonly kind: 'answered'; readonly reading: Ended }
  /** The process renders nothing, and no runner would. */
  | { readonly kind: 'no_browser' }
  /** The engine refused another search while this one waited. */
  | { readonly kind: 'left_alone'; readonly untilMs: number }
  /** Other searches of the engine did not end in time. */
  | { readonly kind: 'busy' }
  | Unanswered
  | PreviewLimit
  | Stopping

interface WantedPreview {
  readonly teamId: string
  readonly search: SerpSearch
  /** The site to look for. Null: none. */
  readonly target: string | null
}

type SearchPreviewOutcome =
  | { readonly kind: 'done'; readonly preview: SerpPreview }
  | Exclude<SearchEnd, { readonly kind: 'answered' | 'left_alone' | 'busy' }>
  | OutOfRuns
  | Locked
  | DiskFull

/**
 * Makes a search now, within the rules of all searches: one at a time at an engine and exit, and none while the engine
 * is left alone. It costs one run for each page. A preview that asked nothing costs none.
 */
export async function previewSearch(
  { store, previews }: { readonly store: Store; readonly previews: SearchSlots },
  wanted: WantedPreview,
): Promise<SearchPreviewOutcome> {
  const slot = previews.enter(wanted.teamId)
  if (slot.kind !== 'place') return slot
  try {
    return await search(store, slot, wanted)
  } finally {
    slot.leave()
  }
}

async function search(store: Store, slot: SearchSlot, wanted: WantedPreview): Promise<SearchPreviewOutcome> {
  const { teamId, search: asked } = wanted
  const { search: make } = slot
  const done = showing(wanted)
  const untilMs = await engineRefusedUntil(store, asked.engine)
  if (untilMs !== null) return done(leftAlone(asked.engine, untilMs))
  if (make === null) return { kind: 'no_browser' }
  const ended = await paidWork(
    store,
    { kind: 'preview', teamId, pool: 'serp', cost: asked.pages },
    (work) => make(asked, work, store),
    ({ kind }) => kind === 'answered',
  )
  if (ended.kind === 'answered') return done(ended.reading)
  if (ended.kind === 'left_alone') return done(leftAlone(asked.engine, ended.untilMs))
  if (ended.kind === 'busy') return done(busyAt(asked))
  if (ended.kind !== 'unanswered') return ended
  if (!ended.isBegun && (await areExitsBusy(store, asked.engine))) return done(busyAt(asked))
  return { ...ended, of: 'search' }
}

/** Returns what makes a preview of a reading. Its duration counts from now. */
function showing(wanted: WantedPreview): (reading: Ended) => SearchPreviewOutcome {
  const startedAt = performance.now()
  return (reading) => ({
    kind: 'done',
    preview: previewOf(reading, wanted, Math.round(performance.now() - startedAt)),
  })
}

function busyAt({ engine }: SerpSearch): Ended {
  const message =
    `Other searches of ${ENGINE_NAMES[engine]} are under way from here, one at a time and with a pause between them. ` +
    'This one asked nothing and used no run. Try again in a minute.'
  return {
    kind: 'failed',
    fetchMethod: null,
    fault: { code: 'not_available', message },
    retryAfterMs: 0,
    engine: { outcome: 'failed', country: 'approximate', marker: 'the exit is busy' },
  }
}

function previewOf(reading: Ended, { search, target }: WantedPreview, durationMs: number): SerpPreview {
  const results = reading.kind === 'search' ? reading.search.results : []
  const rank = target === null ? null : targetRank(target, results)
  const fault = reading.kind === 'failed' ? reading.fault : null
  return {
    url: searchUrl(search),
    duration_ms: durationMs,
    status: fault === null ? 'success' : 'error',
    organic_results: results,
    target_rank: rank === 'unknown' ? null : rank,
    ...presentOf(reading.kind === 'search' ? reading.search : UNTOLD),
    serp_check: serpCheckOf(reading, null),
    warnings: reading.kind === 'search' ? reading.search.warnings : [],
    error_code: fault?.code ?? null,
    error_message: fault?.message ?? null,
  }
}
