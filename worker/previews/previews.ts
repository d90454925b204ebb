import { Running } from '../../concurrency/loops/wakeable-loop.ts'
import type { DiskFull, DiskGuard } from '../../core/disk-guard.ts'
import { createGuardedAgent } from '../../egress/guarded-agent.ts'
import type { EgressPolicy } from '../../egress/policy.ts'
import type { Browsers } from '../../runners/browser/browsers.ts'
import { check, type CheckPorts } from '../../runners/check/check.ts'
import { fieldsToRender, findsMore, renderedForMissing } from '../../runners/check/missing-match.ts'
import type { Reading } from '../../runners/check/reading.ts'
import type { PageTask } from '../../runners/check/task.ts'
import type { InternalErrorReport } from '../../runners/extract/internal-fault.ts'
import { createExtractor, type Extractor } from '../../runners/extract/pool/extractor.ts'
import { createPageReader } from '../../runners/fetch/paging/page-reader.ts'
import type { Hold, ProxyLayer } from '../../runners/fetch/proxy/proxy-layer.ts'
import { levelOf } from '../../schema/level.ts'
import type { LookRequest } from '../../schema/monitor/look.ts'
import { MonitorSpec } from '../../schema/monitor/monitor.ts'
import type { Preview } from '../../schema/monitor/preview.ts'
import { SerpSearch } from '../../schema/serp/serp-search.ts'
import { WORK } from '../../schema/work.ts'
import type { AskedWork } from '../../store/asked/asked-work.ts'
import type { Store } from '../../store/db/client.ts'
import { type AskedLimit, type AskedSlot, createAskedSlots } from '../asked/asked-slots.ts'
import type { RunnerAnswer, RunnerAnswers } from '../asked/runner-answers.ts'
import { searchHere } from '../asked/search-here.ts'
import { lookAt, type LookEnd } from '../looks/look-at.ts'
import type { Prompts } from '../prompts/prompts-port.ts'
import type { AskedAnswer } from '../queue/asked-kind.ts'
import { answerOf, type KeptAnswer, type PreviewRequest } from './preview-kind.ts'
import { type KeptPage, previewOfLook } from './preview-of-look.ts'
import { type Ask, preview, type Previewed, previewOf, type PreviewPorts, previewTask } from './preview.ts'
import { type PreviewSearching, searchingHere } from './searching-here.ts'

interface PreviewsOptions {
  readonly egress: EgressPolicy
  /** The most previews that run at once in this process. Default: that of `WORK`. */
  readonly atOnce?: number
  /** The most of these for one team, by default likewise: a team whose sites hang must not block the others. */
  readonly perTeam?: number
  /** Renders pages; absent: runners do, or configurations that need it fail with a message that says so. */
  readonly browser?: Pick<Browsers, 'render'> | undefined
  /** Has runners render pages where this process cannot. */
  readonly runners?: RunnerAnswers | undefined
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
  enter(teamId: string): PreviewPlace | AskedLimit | DiskFull
  /** Reads documents of looks. */
  readonly extractor: Extractor
  /** What previews can have: a browser, here or that of a runner, and a model that answers prompts. */
  readonly has: { readonly browser: boolean; readonly model: boolean }
  /** How previews that waited for runners ended, since the start. */
  readonly counts: Readonly<Record<'answered' | 'unanswered', number>>
  /** Ends the running checks and closes their connections and threads. */
  close(): Promise<void>
}

/** No answer of a runner, and why. */
type Unanswered = Exclude<RunnerAnswer, { readonly kind: 'answered' }>

interface PreviewDone {
  readonly kind: 'done'
  readonly preview: Preview
}

/** The end of a preview of a page. */
type PreviewEnd = PreviewDone | Exclude<Unanswered, { readonly kind: 'left_alone' }>

/** The end of a search. */
type SearchEnd =
  | Awaited<ReturnType<typeof searchHere>>
  /** Nobody would make it. */
  | { readonly kind: 'no_browser' }
  | Unanswered

interface PreviewPlace {
  readonly kind: 'place'
  /** `work` is what was paid for. */
  run(work: AskedWork, config: Previewed): Promise<PreviewEnd>
  /** Makes the preview from what a look kept, and fetches nothing. */
  read(page: KeptPage, config: Previewed): Promise<PreviewDone | typeof STOPPING>
  /** Looks at a page. */
  look(work: AskedWork, asked: LookRequest): Promise<LookEnd>
  /** Makes a search here, or has a runner make it. Null: neither can be. */
  readonly search: ((search: SerpSearch, work: AskedWork, store: Store) => Promise<SearchEnd>) | null
  leave(): void
}

/** Creates the slots, with their own egress guard and threads, as in a worker. Both start when first needed. */
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
  const slots = createAskedSlots({ atOnce, perTeam, waiting })
  const counts = { answered: 0, unanswered: 0 }
  const within = { signal: stopping.signal, browser, ...(deadlineMs !== undefined && { deadlineMs }) }
  const portsOf = portsOfTeam({ agent, extractor, pages, ...within }, proxy)

  function tracked<T>(done: Promise<T>): Promise<T> {
    running.add(done)
    return done
  }

  function run(work: AskedWork, config: Previewed, slot: AskedSlot): Promise<PreviewEnd> {
    if (stopping.signal.aborted) return Promise.resolve(STOPPING)
    const { teamId } = work
    const ask: Ask | undefined = prompts ? (asked, until) => prompts.ask({ ...asked, teamId }, until) : undefined
    return tracked(begin({ work, slot, runners, counts }, config, { ...portsOf(teamId), ask, team: teamId }))
  }

  /** Returns what makes searches in a slot. */
  function searchIn(slot: AskedSlot): PreviewPlace['search'] {
    const { signal } = stopping
    if (searching) {
      const here = searchingHere(searching, { extractor, running, signal })
      return (search, work, store) => searchHere(here, search, { work, store })
    }
    return runners ? (search, work) => tracked(searchByRunner({ runners, counts, work, slot }, search, signal)) : null
  }

  return {
    enter(teamId) {
      const reason = disk?.refusal('previews') ?? null
      if (reason !== null) return { kind: 'disk_full', reason }
      const slot = slots.enter(teamId)
      if ('kind' in slot) return slot
      const { leave } = slot
      return {
        kind: 'place',
        run: (work, config) => run(work, config, slot),
        read: (page, config) =>
          tracked(previewOfLook(config, page, { extractor, signal: stopping.signal, team: teamId }).then(endOf)),
        look: (work, asked) => tracked(lookAt(asked, { work, slot, ports: portsOf(work.teamId), runners })),
        search: searchIn(slot),
        leave,
      }
    },
    extractor,
    has: { browser: (browser ?? runners) !== undefined, model: (prompts ?? null) !== null },
    counts,
    async close() {
      stopping.abort()
      await running.settled()
      await Promise.all([extractor.close(), pages.close(), agent.destroy()])
    },
  }
}

/** Returns what gives the checks of a team what they depend on. */
const portsOfTeam =
  (ports: CheckPorts, proxy: PreviewsOptions['proxy']) =>
  (teamId: string): CheckPorts => ({
    ...ports,
    proxy: proxy && { layer: proxy.layer, holdFor: () => proxy.holdFor(teamId) },
  })

const STOPPING = { kind: 'stopping' } as const

const endOf = (shown: Preview | null): PreviewDone | typeof STOPPING =>
  shown === null ? STOPPING : { kind: 'done', preview: shown }

/** Makes a preview of a page here, or has a runner make it. */
async function begin(by: Beginning, config: Previewed, ports: PreviewPorts): Promise<PreviewEnd> {
  const { runners } = by
  const isElsewhere = ports.browser === undefined && (await runners?.areClaimed(config.isolation === 'pod')) === true
  if (ports.signal.aborted) return STOPPING
  return runners && isElsewhere ? byRunner({ ...by, runners }, config, ports) : endOf(await preview(config, ports))
}

/** Has a runner do a preview. What can be fetched is fetched here first, as workers do with checks. */
async function byRunner(by: ByRunner, config: Previewed, ports: PreviewPorts): Promise<PreviewEnd> {
  const startedAt = performance.now()
  const task = previewTask(config, ports)
  const demands = { isIsolated: config.isolation === 'pod', level: levelOf(MonitorSpec, config) }
  const needsBrowser = task.queue !== 'static' && task.obstacle === null
  const first = needsBrowser ? null : await check(task, { ...ports, browser: 'elsewhere' })
  if (first !== null && first.kind !== 'moved') {
    const more = await moreByRunner(by, { task, first, ...demands }, ports.signal)
    return endOf(await previewOf(more ?? first, config, { ...ports, startedAt }))
  }
  const moved = first === null ? task : { ...task, queue: first.queue, reason: first.reason }
  const answered = await answerTo(by, { page: moved, ...demands }, ports.signal)
  if (answered.kind === 'left_alone') throw new TypeError('a page has no engine')
  countEnd(by.counts, answered)
  if (answered.kind !== 'answered') return answered
  const { reading, durationMs: checkMs } = answered
  if (reading.kind === 'search') throw new TypeError('a page has no results of a search')
  return endOf(await previewOf(reading, config, { ...ports, startedAt, checkMs }))
}

/** Has a runner render a page in which rules had no match. Returns what it read, if it found more; null: it did not. */
async function moreByRunner(
  by: ByRunner,
  { task, first, ...demands }: Demands & { readonly task: PageTask; readonly first: Reading },
  signal: AbortSignal,
): Promise<Reading | null> {
  if (fieldsToRender(first, task).length === 0) return null
  const answered = await answerTo(by, { page: renderedForMissing(task), ...demands }, signal)
  return answered.kind === 'answered' && findsMore(answered.reading, first, task) ? answered.reading : null
}

/** Has a runner make a search. */
async function searchByRunner(by: ByRunner, search: SerpSearch, signal: AbortSignal): Promise<SearchEnd> {
  if (!(await by.runners.areClaimed(false))) return { kind: 'no_browser' }
  const answered = await answerTo(by, { search, isIsolated: false, level: levelOf(SerpSearch, search) }, signal)
  countEnd(by.counts, answered)
  if (answered.kind !== 'answered') return answered
  const { reading } = answered
  if (reading.kind !== 'search' && reading.kind !== 'failed') throw new TypeError(`a search gave ${reading.kind}`)
  return { kind: 'answered', reading }
}

/** A client and a proxy before it wait for a minute. */
const SECONDS = 55
/** The model needs the rest of it. */
const PROMPT_SECONDS = 35

/** Which runners may do it. */
interface Demands {
  readonly isIsolated: boolean
  readonly level: number
}

type ForRunner = Demands & ({ readonly page: PageTask } | { readonly search: SerpSearch })

/** Waits for what a runner reads. What only waits takes no slot from what fetches, as long as there is room to wait. */
async function answerTo(
  { runners, work, slot }: ByRunner,
  asked: ForRunner,
  signal: AbortSignal,
): Promise<({ readonly kind: 'answered' } & AskedAnswer) | Unanswered> {
  slot.wait()
  const { isIsolated, level } = asked
  const isPrompt = 'page' in asked && asked.page.extract.method === 'prompt'
  const engine = 'search' in asked ? asked.search.engine : null
  const request = 'search' in asked ? { search: asked.search } : requestOf(asked.page)
  const seconds = isPrompt ? PROMPT_SECONDS : SECONDS
  const answered = await runners.ask({ work, request, engine, isIsolated, seconds, level }, signal)
  return answered.kind === 'answered' ? { kind: 'answered', ...answerOf(answered.kept as KeptAnswer) } : answered
}

function countEnd(counts: ByRunner['counts'], { kind }: { readonly kind: string }): void {
  if (kind === 'answered' || kind === 'unanswered') counts[kind] += 1
}

function requestOf({ url, extract, request, visual, headers, queue, reason, obstacle }: PageTask): PreviewRequest {
  return { url, extract, request, visual, headers, queue, reason, obstacle }
}

interface InSlot {
  readonly work: AskedWork
  readonly slot: AskedSlot
}

interface Beginning extends InSlot {
  readonly runners: RunnerAnswers | undefined
  readonly counts: ByRunner['counts']
}

interface ByRunner extends InSlot {
  readonly runners: RunnerAnswers
  readonly counts: { answered: number; unanswered: number }
}
