import { sleep } from '../../concurrency/loops/sleep.ts'
import type { DiskFull } from '../../core/disk-guard.ts'
import { engineActs, serpCheckOf, presentOf, UNTOLD } from '../../core/serp/ended-search.ts'
import { searchUrl } from '../../core/serp/search-url.ts'
import { targetRank } from '../../core/serp/target-rank.ts'
import type { Reading } from '../../runners/check/reading.ts'
import { longestSearchMs } from '../../runners/serp/check-search.ts'
import { leftAlone } from '../../runners/serp/search-reading.ts'
import type { SerpPreview } from '../../schema/serp/serp-check.ts'
import { ENGINE_NAMES, type SerpSearch } from '../../schema/serp/serp-search.ts'
import type { Store } from '../../store/db/client.ts'
import { areExitsBusy, engineRefusedUntil, freeExits, takeExit } from '../../store/queue/claim-search.ts'
import { endSearches } from '../../store/queue/end-searches.ts'
import type { Held } from '../../store/queue/lease.ts'
import { giveRunBack, type PaidRuns, spendRun } from '../../store/quota/spend-run.ts'
import type { Locked, OutOfRuns } from '../outcome.ts'
import type { PreviewLimit, Stopping, Unanswered } from './preview-monitor.ts'

type Ended = Extract<Reading, { kind: 'search' | 'failed' }>

/** The slots for previews, as far as searches need them. */
interface SearchSlots {
  enter(teamId: string): SearchSlot | PreviewLimit | DiskFull
}

interface SearchSlot {
  readonly kind: 'place'
  readonly searches: {
    readonly exit: string
    readonly spacingMs: number
    /** Null when the process is stopping. */
    run(search: SerpSearch): Promise<Ended | null>
  } | null
  /** Has a runner make the search. Null: runners are not asked. */
  readonly searchElsewhere: ((search: SerpSearch) => Promise<SearchElsewhere>) | null
  leave(): void
}

type SearchElsewhere =
  | { readonly kind: 'answered'; readonly reading: Ended }
  | { readonly kind: 'no_browser' }
  | { readonly kind: 'left_alone'; readonly untilMs: number }
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
  /** The process renders nothing, and no runner would. */
  | { readonly kind: 'no_browser' }
  | Unanswered
  | OutOfRuns
  | Locked
  | PreviewLimit
  | DiskFull
  | Stopping

/** How long a preview waits for its turn at the engine: the requester waits too. */
const TURN_MS = 15_000
/** A process that was killed meanwhile frees the exit so long after the longest time of its search. */
const SLACK_SECONDS = 10

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
    if (slot.searches !== null) return await inTurn(store, slot.searches, wanted)
    return await byRunner(store, slot.searchElsewhere, wanted)
  } finally {
    slot.leave()
  }
}

/** Returns what makes a preview of a reading. Its duration counts from now. */
function showing(wanted: WantedPreview): (reading: Ended) => SearchPreviewOutcome {
  const startedAt = performance.now()
  return (reading) => ({
    kind: 'done',
    preview: previewOf(reading, wanted, Math.round(performance.now() - startedAt)),
  })
}

/** Takes the runs that the search costs, or returns why it was refused. */
async function payFor(store: Store, { teamId, search }: WantedPreview): Promise<PaidRuns | OutOfRuns | Locked> {
  const spent = await spendRun(store, teamId, 'serp', search.pages)
  if (spent.kind === 'spent') return spent.paid
  return spent.kind === 'used_up' ? spent : { kind: 'locked', act: 'preview' }
}

/** Asks for the reading, and gives the runs back where there is none. */
async function unlessUnread<T>(store: Store, paid: PaidRuns, ask: () => Promise<T>, isRead: (ended: T) => boolean) {
  const ended = await ask().catch(async (error: unknown) => {
    await giveRunBack(store, paid).catch(() => undefined)
    throw error
  })
  if (!isRead(ended)) await giveRunBack(store, paid)
  return ended
}

/** A runner that claims the search takes its own exit, and frees it. */
async function byRunner(
  store: Store,
  ask: SearchSlot['searchElsewhere'],
  wanted: WantedPreview,
): Promise<SearchPreviewOutcome> {
  const { search } = wanted
  const done = showing(wanted)
  const untilMs = await engineRefusedUntil(store, search.engine)
  if (untilMs !== null) return done(leftAlone(search.engine, untilMs))
  if (ask === null) return { kind: 'no_browser' }
  const paid = await payFor(store, wanted)
  if ('kind' in paid) return paid
  const ended = await unlessUnread(
    store,
    paid,
    () => ask(search),
    ({ kind }) => kind === 'answered',
  )
  if (ended.kind === 'answered') return done(ended.reading)
  if (ended.kind === 'left_alone') return done(leftAlone(search.engine, ended.untilMs))
  if (ended.kind !== 'unanswered') return ended
  if (!ended.isBegun && (await areExitsBusy(store, search.engine))) return done(busyAt(search))
  return { ...ended, of: 'search' }
}

async function inTurn(
  store: Store,
  searches: NonNullable<SearchSlot['searches']>,
  wanted: WantedPreview,
): Promise<SearchPreviewOutcome> {
  const { search } = wanted
  const done = showing(wanted)
  const seconds = longestSearchMs(search.pages) / 1000 + SLACK_SECONDS
  const taken = await turnAt(store, { engine: search.engine, exit: searches.exit, seconds })
  if (taken.kind === 'refused') return done(leftAlone(search.engine, taken.untilMs))
  if (taken.kind === 'busy') return done(busyAt(search))
  let reading: Ended | null = null
  try {
    const paid = await payFor(store, wanted)
    if ('kind' in paid) return paid
    reading = await unlessUnread(
      store,
      paid,
      () => searches.run(search),
      (read) => read !== null,
    )
    return reading === null ? { kind: 'stopping' } : done(reading)
  } finally {
    await endOf(store, taken.held, { reading, search, spacingMs: searches.spacingMs })
  }
}

async function turnAt(store: Store, wanted: Parameters<typeof takeExit>[1]): ReturnType<typeof takeExit> {
  const until = performance.now() + TURN_MS
  for (;;) {
    const taken = await takeExit(store, wanted)
    if (taken.kind !== 'busy' || performance.now() > until) return taken
    await sleep(250)
  }
}

interface EndedPreview {
  /** Null: nothing was asked. */
  readonly reading: Ended | null
  readonly search: SerpSearch
  readonly spacingMs: number
}

/** Frees the exit. What the engine did counts as after a check: a refusal, or a healthy answer. */
async function endOf(store: Store, held: Held, { reading, search, spacingMs }: EndedPreview): Promise<void> {
  if (reading === null) return freeExits(store, [held], spacingMs)
  await endSearches(store, [{ ...held, engine: search.engine, ...engineActs(reading) }], spacingMs)
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
