import { createKeyedBudget } from '../../concurrency/keyed-budget.ts'
import { Running } from '../../concurrency/wakeable-loop.ts'
import type { Reading } from '../../runners/check/reading.ts'
import type { SerpTask } from '../../runners/check/task.ts'
import { type SearchMeans, searchReading } from '../../runners/serp/search-reading.ts'
import type { SerpSearch } from '../../schema/serp/serp-search.ts'
import type { Preview } from '../../schema/monitor/preview.ts'
import type { Browsers } from '../../runners/browser/browsers.ts'
import { createExtractor } from '../../runners/extract/pool/pool.ts'
import { createPageReader } from '../../runners/fetch/paging/page-reader.ts'
import { createGuardedAgent } from '../../egress/guarded-agent.ts'
import type { Hold, ProxyLayer } from '../../runners/fetch/proxy/proxy-layer.ts'
import type { EgressPolicy } from '../../egress/policy.ts'
import type { Prompts } from '../prompts/prompts-port.ts'
import { type Ask, preview, type Previewed } from './preview.ts'

/** How searches are previewed: as checks of this process are made. */
interface PreviewSearching {
  readonly means: SearchMeans
  readonly exit: string
  readonly spacingMs: number
}

interface PreviewsOptions {
  readonly egress: EgressPolicy
  /** The most previews that run at once in this process. Default 4. */
  readonly atOnce?: number
  /** The most of these for one team. Default 2: a team whose sites hang must not block the others. */
  readonly perTeam?: number
  /** Renders pages; absent: configurations that need it fail with a message that says so. */
  readonly browser?: Pick<Browsers, 'render'> | undefined
  /** Asks the model; null: this installation has no model. */
  readonly prompts?: Prompts | null
  /** Milliseconds for a fetch. Default 30,000, as for a run. */
  readonly deadlineMs?: number
  /** Asks search engines, from an exit with a spacing. Absent: previews of searches are refused. */
  readonly search?: PreviewSearching | undefined
  /** The proxy for checks that a site refuses, and the allowance that it is counted against. */
  readonly proxy?: { readonly layer: ProxyLayer; holdFor(teamId: string): Hold } | undefined
}

/** Runs checks on demand while the requester waits. They run in the process that got the request, a few at a time. */
export interface Previews {
  /**
   * Returns a slot to run one check in, or the limit that was reached. The caller must call `leave` on the slot in
   * every case.
   */
  enter(teamId: string): PreviewPlace | PreviewLimit
  /** Ends the running checks and closes their connections and threads. */
  close(): Promise<void>
}

/** The limit of checks at once is reached: that of the team, or that of this process. */
interface PreviewLimit {
  readonly kind: 'limit'
  readonly of: 'team' | 'process'
  readonly limit: number
}

interface PreviewPlace {
  readonly kind: 'place'
  /** Null when the process is stopping. */
  run(config: Previewed): Promise<Preview | null>
  /** Null: this process asks no search engines. */
  readonly searches: PreviewSearches | null
  leave(): void
}

/** What a preview of a search needs. */
interface PreviewSearches {
  readonly exit: string
  readonly spacingMs: number
  /** Null when the process is stopping. */
  run(search: SerpSearch): Promise<Extract<Reading, { kind: 'search' | 'failed' }> | null>
}

/** Creates the slots, with an egress guard and threads of their own as in a worker. Both start when first needed. */
export function createPreviews({
  egress,
  atOnce = 4,
  perTeam = 2,
  deadlineMs,
  browser,
  prompts,
  proxy,
  search: searching,
}: PreviewsOptions): Previews {
  const agent = createGuardedAgent(egress, { connections: atOnce })
  const extractor = createExtractor({ threads: 1 })
  const pages = createPageReader()
  const stopping = new AbortController()
  const running = new Running()
  const places = createKeyedBudget<string>({ total: atOnce, perKey: perTeam })

  function run(teamId: string, config: Previewed): Promise<Preview | null> {
    if (stopping.signal.aborted) return Promise.resolve(null)
    const { signal } = stopping
    const port = proxy && { layer: proxy.layer, holdFor: () => proxy.holdFor(teamId) }
    const ask: Ask | undefined = prompts ? (asked, until) => prompts.ask({ ...asked, teamId }, until) : undefined
    const within = { signal, ask, team: teamId, browser, proxy: port, ...(deadlineMs !== undefined && { deadlineMs }) }
    const done = preview(config, { agent, extractor, pages, ...within })
    running.add(done)
    return done
  }

  async function runSearch({ means }: PreviewSearching, teamId: string, search: SerpSearch) {
    if (stopping.signal.aborted) return null
    const { signal } = stopping
    const done = searchReading(searchTaskOf(search, teamId), { means, extractor, signal })
    running.add(done)
    const reading = await done
    return reading.kind === 'search' || reading.kind === 'failed' ? reading : null
  }

  const searchesOf = (teamId: string): PreviewSearches | null =>
    searching
      ? {
          exit: searching.exit,
          spacingMs: searching.spacingMs,
          run: (search) => runSearch(searching, teamId, search),
        }
      : null

  return {
    enter(teamId) {
      const leave = places.take(teamId, 1)
      if (leave === 'key') return { kind: 'limit', of: 'team', limit: perTeam }
      if (leave === 'total') return { kind: 'limit', of: 'process', limit: atOnce }
      return { kind: 'place', run: (config) => run(teamId, config), searches: searchesOf(teamId), leave }
    },
    async close() {
      stopping.abort()
      await running.settled()
      await Promise.all([extractor.close(), pages.close(), agent.destroy()])
    },
  }
}

const searchTaskOf = (search: SerpSearch, teamKey: string): SerpTask => ({
  kind: 'serp',
  queue: 'serp',
  no: 0,
  fence: 0,
  runId: '',
  monitorId: '',
  host: search.engine,
  teamKey,
  search,
  refusedUntilMs: null,
  obstacle: null,
  dueMs: null,
  claimedMs: 0,
  claimedAt: 0,
})
