import { Counter, Histogram, type Registry } from 'prom-client'
import type { Logger } from '../../core/logger.ts'
import type { Finished } from '../../runners/check/check-source.ts'
import type { SerpTask } from '../../runners/check/task.ts'
import type { EngineFailure, SearchReading } from '../../schema/serp/search-reading.ts'
import type { SerpEngine } from '../../schema/serp/serp-search.ts'
import type { Store } from '../../store/db/client.ts'
import type { ObjectStore } from '../../store/objects/object-store.ts'
import { keepUnreadPage } from '../../store/objects/unread-pages.ts'
import { countProviderPages } from '../../store/quota/provider-pages.ts'
import type { SearchProvider } from './search-provider.ts'

/** A check of a search that ended. */
type EndedSearch = Finished<SerpTask>

/** The trusted side of a check of a search, before it is recorded. */
export interface Searches {
  /**
   * Counts the outcome, keeps a page that was not recognized, and asks the paid provider where Google refused. Returns
   * what is recorded. Never rejects.
   */
  ended(search: EndedSearch, teamId: string, signal: AbortSignal): Promise<EndedSearch>
}

interface SearchesOptions {
  readonly store: Store
  readonly objects: ObjectStore
  /** Null: this installation has none. */
  readonly provider: SearchProvider | null
  readonly registry: Registry
  readonly log: Logger
}

export function createSearches({ store, objects, provider, registry, log }: SearchesOptions): Searches {
  const metrics = createSearchMetrics(registry)
  const loggedAt = new Map<string, number>()

  /** A changed layout is met by each check of its engine. The log says so once a day; the metrics count each. */
  function logUnread(what: Unread, about: { readonly engine: SerpEngine; readonly run_id: string }): void {
    const key = `${about.engine} ${what}`
    const now = Date.now()
    if (now - (loggedAt.get(key) ?? -Infinity) < LOG_EVERY_MS) return
    loggedAt.set(key, now)
    log.error(about, `${UNREAD[what]} (said once a day for each engine)`)
  }

  async function throughProvider(search: EndedSearch, teamId: string, signal: AbortSignal): Promise<EndedSearch> {
    const { task, reading } = search
    const engine = reading.kind === 'failed' ? reading.engine : undefined
    if (provider === null || reading.kind !== 'failed' || !isRefusal(engine) || task.search.engine !== 'google')
      return search
    const startedAt = performance.now()
    const answer = await provider.search(task.search, signal)
    const endedMs = search.endedMs + Math.round(performance.now() - startedAt)
    metrics.provider(answer.asked, answer.ok)
    await countProviderPages(store, teamId, answer.asked).catch((err: unknown) =>
      log.warn({ err, run_id: task.runId }, 'the pages of the search provider were not counted'),
    )
    if (answer.ok)
      return { ...search, endedMs, reading: { kind: 'search', fetchMethod: null, search: answer.found, engine } }
    log.warn({ run_id: task.runId, reason: answer.message }, 'the search provider gave no results')
    const message = `Google refused the search as automated, and the search provider gave no results: ${answer.message}`
    return { ...search, endedMs, reading: { ...reading, fault: { code: 'blocked', message } } }
  }

  async function keepUnread({ task, reading }: EndedSearch): Promise<void> {
    const said = unparsedOf(reading)
    if (said === null) return
    const { unread, marker } = said
    const { engine } = task.search
    const about = { engine, marker, run_id: task.runId, monitor_id: task.monitorId }
    logUnread(reading.kind === 'search' ? 'way' : 'page', about)
    if (unread === undefined) return
    await keepUnreadPage(
      { store, objects },
      { engine, marker, runId: task.runId, page: Buffer.from(unread, 'base64') },
    ).catch((err: unknown) => log.warn({ err, ...about }, 'the page that was not recognized could not be kept'))
  }

  return {
    async ended(given, teamId, signal) {
      metrics.ended(given)
      if (given.reading.kind === 'search' && given.reading.search.is_guess)
        logUnread('guess', { engine: given.task.search.engine, run_id: given.task.runId })
      await keepUnread(given)
      return throughProvider(withoutUnread(given), teamId, signal)
    },
  }
}

const LOG_EVERY_MS = 24 * 3_600_000

/** What is not known of an engine's pages. */
const UNREAD = {
  page: 'a page of a search engine was not recognized: its layout may have changed',
  way: 'a later page of a search engine, or the way to it, was not recognized: its layout may have changed',
  guess: 'the layout of a search engine is unknown: its results are a guess, and fire no alert',
} as const
type Unread = keyof typeof UNREAD

/** Returns what is known of a page that was not recognized: the only one of a check, or a later one. */
function unparsedOf(reading: Finished['reading']): Pick<SearchReading, 'marker' | 'unread'> | null {
  if (reading.kind === 'search') return reading.search.cut_by === 'unparsed' ? reading.search : null
  return reading.kind === 'failed' && reading.engine?.outcome === 'unparsed' ? reading.engine : null
}

/** The page is kept by then, and no part of the run. */
function withoutUnread(given: EndedSearch): EndedSearch {
  if (given.reading.kind !== 'search') return given
  const { unread: _, ...search } = given.reading.search
  return { ...given, reading: { ...given.reading, search } }
}

const isRefusal = (engine: EngineFailure | undefined): engine is EngineFailure =>
  engine?.outcome === 'blocked' || engine?.outcome === 'left_alone'

/** Metrics of searches. Labels are few and have a fixed set of values: never a keyword or a team. */
function createSearchMetrics(registry: Registry) {
  const registers = [registry]
  const outcomes = new Counter({
    name: 'tidemark_serp_checks_total',
    help:
      'Checks of searches by engine and outcome: ok, zero, guess, blocked, left_alone, engine_error, unparsed, ' +
      'failed. guess: the layout of the page was unknown.',
    labelNames: ['engine', 'outcome'],
    registers,
  })
  const cut = new Counter({
    name: 'tidemark_serp_cut_total',
    help: 'Checks of searches that lack a later page, by engine and reason.',
    labelNames: ['engine', 'reason'],
    registers,
  })
  const lateness = new Histogram({
    name: 'tidemark_serp_lateness_seconds',
    help: 'From the time a check of a search was due to its start, by engine.',
    labelNames: ['engine'],
    buckets: [1, 10, 30, 60, 300, 600, 1800, 3600, 21_600],
    registers,
  })
  const provider = new Counter({
    name: 'tidemark_serp_provider_pages_total',
    help: 'Pages that were asked of the paid search provider, by the outcome of their check: found, failed.',
    labelNames: ['outcome'],
    registers,
  })
  return {
    ended({ task, reading, startedMs }: EndedSearch): void {
      const { engine } = task.search
      outcomes.labels(engine, outcomeOf(reading)).inc()
      if (reading.kind === 'search' && reading.search.cut_by !== null) cut.labels(engine, reading.search.cut_by).inc()
      if (task.dueMs !== null) lateness.labels(engine).observe(Math.max(0, startedMs - task.dueMs) / 1000)
    },
    provider(pages: number, isFound: boolean): void {
      provider.labels(isFound ? 'found' : 'failed').inc(pages)
    },
  }
}

function outcomeOf(reading: Finished['reading']): string {
  if (reading.kind === 'search') return reading.search.is_guess ? 'guess' : reading.search.outcome
  return reading.kind === 'failed' ? (reading.engine?.outcome ?? 'failed') : 'failed'
}
