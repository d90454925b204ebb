import { createKeyedBudget } from '../../concurrency/gates/keyed-budget.ts'
import { Running } from '../../concurrency/loops/wakeable-loop.ts'
import type { DiskFull, DiskGuard } from '../../core/disk-guard.ts'
import { createGuardedAgent } from '../../egress/guarded-agent.ts'
import type { EgressPolicy } from '../../egress/policy.ts'
import type { Browsers } from '../../runners/browser/browsers.ts'
import { check } from '../../runners/check/check.ts'
import { fieldsToRender, findsMore, renderedForMissing } from '../../runners/check/missing-match.ts'
import type { Reading } from '../../runners/check/reading.ts'
import type { PageTask, SerpTask } from '../../runners/check/task.ts'
import type { InternalErrorReport } from '../../runners/extract/internal-fault.ts'
import { createExtractor, type Extractor } from '../../runners/extract/pool/extractor.ts'
import { createPageReader } from '../../runners/fetch/paging/page-reader.ts'
import type { Hold, ProxyLayer } from '../../runners/fetch/proxy/proxy-layer.ts'
import { type SearchMeans, searchReading } from '../../runners/serp/search-reading.ts'
import type { Preview } from '../../schema/monitor/preview.ts'
import type { SerpSearch } from '../../schema/serp/serp-search.ts'
import { WORK } from '../../schema/work.ts'
import type { Prompts } from '../prompts/prompts-port.ts'
import type { PreviewRequest } from './preview-record.ts'
import { type Ask, preview, type Previewed, previewOf, type PreviewPorts, previewTask } from './preview.ts'
import type { WaitingPreviews } from './waiting-previews.ts'

/** How searches are previewed: as checks of this process are made. */
interface PreviewSearching {
  readonly means: SearchMeans
  readonly exit: string
  readonly spacingMs: number
}

interface PreviewsOptions {
  readonly egress: EgressPolicy
  /** The most previews that run at once in this process. Default: that of `WORK`. */
  readonly atOnce?: number
  /** The most of these for one team, by default likewise: a team whose sites hang must not block the others. */
  readonly perTeam?: number
  /** Renders pages; absent: runners do, or configurations that need it fail with a message that says so. */
  readonly browser?: Pick<Browsers, 'render'> | undefined
  /** Has runners render pages where this process cannot. */
  readonly runners?: WaitingPreviews | undefined
  /** The most previews of this process that wait for runners at once. Default 32. */
  readonly waiting?: number
  /** Asks the model; null: this installation has no model. */
  readonly prompts?: Prompts | null
  /** Milliseconds for a fetch. Default 30,000, as for a run. */
  readonly deadlineMs?: number
  /** Asks search engines, from an exit with a spacing. Absent: previews of searches are refused. */
  readonly search?: PreviewSearching | undefined
  /** The proxy for checks that a site refuses, and the allowance that it is counted against. */
  readonly proxy?: { readonly layer: ProxyLayer; holdFor(teamId: string): Hold } | undefined
  /** Absent: no disk is looked at. */
  readonly disk?: DiskGuard | undefined
  /** Is told of each unexpected error while a page was read. */
  readonly onInternalError?: InternalErrorReport
}

/** Runs checks on demand while the requester waits. They run in the process that got the request, a few at a time. */
export interface Previews {
  /**
   * Returns a slot to run one check in, or the limit that was reached. The caller must call `leave` on the slot in
   * every case.
   */
  enter(teamId: string): PreviewPlace | PreviewLimit | DiskFull
  /** How previews that waited for runners ended, since the start. */
  readonly counts: Readonly<Record<'answered' | 'unanswered', number>>
  /** Ends the running checks and closes their connections and threads. */
  close(): Promise<void>
}

/** The limit of checks at once is reached: that of the team here or everywhere, or that of this process. */
interface PreviewLimit {
  readonly kind: 'limit'
  readonly of: 'team' | 'process' | 'installation'
  readonly limit: number
}

/** The end of a search that a runner was to make. */
type SearchEnd =
  | { readonly kind: 'answered'; readonly reading: Extract<Reading, { kind: 'search' | 'failed' }> }
  /** Nobody would make it. */
  | { readonly kind: 'no_browser' }
  /** The engine refused meanwhile, and is left alone until this time. */
  | { readonly kind: 'left_alone'; readonly untilMs: number }
  /** No runner answered within so many seconds. `isBegun`: one has tried. */
  | { readonly kind: 'unanswered'; readonly seconds: number; readonly isBegun: boolean }
  | Exclude<PreviewEnd, { readonly kind: 'done' | 'unanswered' }>

/** The end of a preview. */
type PreviewEnd =
  | { readonly kind: 'done'; readonly preview: Preview }
  /** The process is stopping. */
  | { readonly kind: 'stopping' }
  | PreviewLimit
  /** It needs a browser, and no runner answered within so many seconds. `isBegun`: one has tried. */
  | { readonly kind: 'unanswered'; readonly seconds: number; readonly isBegun: boolean }

interface PreviewPlace {
  readonly kind: 'place'
  run(config: Previewed): Promise<PreviewEnd>
  /** Null: this process asks no search engines. */
  readonly searches: PreviewSearches | null
  /** Has a runner make a search. Null: runners are not asked. */
  readonly searchElsewhere: ((search: SerpSearch) => Promise<SearchEnd>) | null
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
  atOnce = WORK.preview.total,
  perTeam = WORK.preview.perTeam,
  deadlineMs,
  browser,
  prompts,
  proxy,
  runners,
  waiting = 32,
  search: searching,
  disk,
  onInternalError,
}: PreviewsOptions): Previews {
  const agent = createGuardedAgent(egress, { connections: atOnce })
  const extractor = createExtractor({ threads: 1, onInternalError })
  const pages = createPageReader({ onInternalError })
  const stopping = new AbortController()
  const running = new Running()
  const slots = createSlots({ atOnce, perTeam, waiting })
  const counts = { answered: 0, unanswered: 0 }

  function tracked<T>(done: Promise<T>): Promise<T> {
    running.add(done)
    return done
  }

  function run(teamId: string, config: Previewed, slot: Slot): Promise<PreviewEnd> {
    if (stopping.signal.aborted) return Promise.resolve(STOPPING)
    const { signal } = stopping
    const port = proxy && { layer: proxy.layer, holdFor: () => proxy.holdFor(teamId) }
    const ask: Ask | undefined = prompts ? (asked, until) => prompts.ask({ ...asked, teamId }, until) : undefined
    const within = { signal, ask, team: teamId, browser, proxy: port, ...(deadlineMs !== undefined && { deadlineMs }) }
    const ports = { agent, extractor, pages, ...within }
    return tracked(begin({ teamId, slot }, config, ports))
  }

  async function begin(
    by: Pick<ByRunner, 'teamId' | 'slot'>,
    config: Previewed,
    ports: PreviewPorts,
  ): Promise<PreviewEnd> {
    const isElsewhere = browser === undefined && (await runners?.areClaimed(config.isolation === 'pod')) === true
    if (ports.signal.aborted) return STOPPING
    return runners && isElsewhere
      ? byRunner({ ...by, runners, counts }, config, ports)
      : endOf(await preview(config, ports))
  }

  const searchesOf = createSearchRuns(searching, { extractor, running, signal: stopping.signal })

  return {
    enter(teamId) {
      const reason = disk?.refusal('previews') ?? null
      if (reason !== null) return { kind: 'disk_full', reason }
      const slot = slots.enter(teamId)
      if ('kind' in slot) return slot
      const { leave } = slot
      const searchElsewhere = runners
        ? (search: SerpSearch) => tracked(searchByRunner({ runners, counts, teamId, slot }, search, stopping.signal))
        : null
      const searches = searchesOf(teamId)
      return { kind: 'place', run: (config) => run(teamId, config, slot), searches, searchElsewhere, leave }
    },
    counts,
    async close() {
      stopping.abort()
      await running.settled()
      await Promise.all([extractor.close(), pages.close(), agent.destroy()])
    },
  }
}

interface SearchRunPorts {
  readonly extractor: Extractor
  readonly running: Running
  readonly signal: AbortSignal
}

/** Returns what makes searches for a team. Null: this process makes none. */
function createSearchRuns(searching: PreviewSearching | undefined, { extractor, running, signal }: SearchRunPorts) {
  return (teamId: string): PreviewSearches | null => {
    if (!searching) return null
    const { means, exit, spacingMs } = searching
    return {
      exit,
      spacingMs,
      async run(search) {
        if (signal.aborted) return null
        const done = searchReading(searchTaskOf(search, teamId), { means, extractor, signal })
        running.add(done)
        const reading = await done
        return reading.kind === 'search' || reading.kind === 'failed' ? reading : null
      },
    }
  }
}

const STOPPING = { kind: 'stopping' } as const

const endOf = (shown: Preview | null): PreviewEnd => (shown === null ? STOPPING : { kind: 'done', preview: shown })

/** Has a runner do a preview. What can be fetched is fetched here first, as workers do with checks. */
async function byRunner(
  { runners, counts, teamId, slot }: ByRunner,
  config: Previewed,
  ports: PreviewPorts,
): Promise<PreviewEnd> {
  const { signal } = ports
  const startedAt = performance.now()
  const task = previewTask(config, ports)
  const needsBrowser = task.queue !== 'static' && task.obstacle === null
  const first = needsBrowser ? null : await check(task, { ...ports, browser: 'elsewhere' })
  if (first !== null && first.kind !== 'moved') {
    const more = await moreByRunner(task, first, {
      runners,
      teamId,
      slot,
      isIsolated: config.isolation === 'pod',
      signal,
    })
    return endOf(await previewOf(more ?? first, config, { ...ports, startedAt }))
  }
  // What only waits takes no slot from those that fetch, as long as there is room to wait.
  slot.wait()
  const request = requestOf(first === null ? task : { ...task, queue: first.queue, reason: first.reason })
  const answered = await runners.ask({ teamId, request, isIsolated: config.isolation === 'pod' }, signal)
  if (answered.kind === 'left_alone') throw new TypeError('a page has no engine')
  if (answered.kind === 'unanswered') counts.unanswered += 1
  if (answered.kind !== 'answered') return answered
  counts.answered += 1
  const { reading, durationMs: checkMs } = answered
  if (reading.kind === 'search') throw new TypeError('a page has no results of a search')
  return endOf(await previewOf(reading, config, { ...ports, startedAt, checkMs }))
}

type MoreByRunner = Pick<ByRunner, 'runners' | 'teamId' | 'slot'> & {
  readonly isIsolated: boolean
  readonly signal: AbortSignal
}

/** Has a runner render a page in which rules had no match. Returns what it read, if it found more; null: it did not. */
async function moreByRunner(
  task: PageTask,
  first: Reading,
  { runners, teamId, slot, isIsolated, signal }: MoreByRunner,
): Promise<Reading | null> {
  if (fieldsToRender(first, task).length === 0) return null
  slot.wait()
  const answered = await runners.ask({ teamId, request: requestOf(renderedForMissing(task)), isIsolated }, signal)
  return answered.kind === 'answered' && findsMore(answered.reading, first, task) ? answered.reading : null
}

function requestOf({ url, extract, request, visual, headers, queue, reason, obstacle }: PageTask): PreviewRequest {
  return { url, extract, request, visual, headers, queue, reason, obstacle }
}

/** Has a runner make a search. */
async function searchByRunner(
  { runners, counts, teamId, slot }: ByRunner,
  search: SerpSearch,
  signal: AbortSignal,
): Promise<SearchEnd> {
  if (!(await runners.areClaimed(false))) return { kind: 'no_browser' }
  slot.wait()
  const answered = await runners.ask({ teamId, request: { search }, isIsolated: false }, signal)
  if (answered.kind === 'unanswered') counts.unanswered += 1
  if (answered.kind !== 'answered') return answered
  counts.answered += 1
  const { reading } = answered
  if (reading.kind !== 'search' && reading.kind !== 'failed') throw new TypeError(`a search gave ${reading.kind}`)
  return { kind: 'answered', reading }
}

/** The slot of a preview. */
interface Slot {
  /** Exchanges it for one of those that only wait, unless all of these are taken. */
  wait(): void
  leave(): void
}

interface SlotCaps {
  readonly atOnce: number
  readonly perTeam: number
  readonly waiting: number
}

function createSlots({ atOnce, perTeam, waiting }: SlotCaps) {
  const teams = createKeyedBudget<string>({ total: atOnce + waiting, perKey: perTeam })
  const fetching = createKeyedBudget<''>({ total: atOnce, perKey: atOnce })
  const waits = createKeyedBudget<''>({ total: waiting, perKey: waiting })
  return {
    enter(teamId: string): Slot | PreviewLimit {
      const leaveTeam = teams.take(teamId, 1)
      if (typeof leaveTeam === 'string') return { kind: 'limit', of: 'team', limit: perTeam }
      const taken = fetching.take('', 1)
      if (typeof taken === 'string') {
        leaveTeam()
        return { kind: 'limit', of: 'process', limit: atOnce }
      }
      let leavePlace = taken
      return {
        wait() {
          const place = waits.take('', 1)
          if (typeof place === 'string') return
          leavePlace()
          leavePlace = place
        },
        leave() {
          leavePlace()
          leaveTeam()
        },
      }
    },
  }
}

interface ByRunner {
  readonly runners: WaitingPreviews
  readonly counts: { answered: number; unanswered: number }
  readonly teamId: string
  readonly slot: Slot
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
