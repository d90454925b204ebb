import { Registry } from 'prom-client'
import { WORK_KINDS } from '../../../boot/kinds.ts'
import { type ModelSettings, promptsOf } from '../../../boot/parts/model.ts'
import { proxyHold, proxyLayerOf } from '../../../boot/parts/proxy.ts'
import { CHECK_QUEUES } from '../../../core/check-queue.ts'
import { createLogger, type Logger } from '../../../core/logger.ts'
import { createGuardedAgent } from '../../../egress/guarded-agent.ts'
import { createPolicy } from '../../../egress/policy.ts'
import type { Resolver } from '../../../egress/resolve.ts'
import type { Browsers } from '../../../runners/browser/browsers.ts'
import { checkByKind } from '../../../runners/check/kinds/check-kind.ts'
import { CHECK_KINDS } from '../../../runners/check/kinds/check-kinds.ts'
import type { Reading } from '../../../runners/check/reading.ts'
import type { Task } from '../../../runners/check/task.ts'
import { createExtractor } from '../../../runners/extract/pool/extractor.ts'
import { createPageReader } from '../../../runners/fetch/paging/page-reader.ts'
import { type CheckLoop, createCheckLoop } from '../../../runners/loop/check-loop.ts'
import { createCheckMetrics } from '../../../runners/loop/check-metrics.ts'
import { createPatternMatcher } from '../../../runners/pattern/pattern-matcher.ts'
import type { SearchMeans } from '../../../runners/serp/search-reading.ts'
import { createTextDiffer } from '../../../runners/text-diff/text-differ.ts'
import { openStore, type Store } from '../../../store/db/client.ts'
import { storeOutage } from '../../../store/db/store-fault.ts'
import type { ObjectStore } from '../../../store/objects/object-store.ts'
import type { SearchRecording } from '../../../store/queue/record-search.ts'
import type { SecretBox } from '../../../store/secrets/secret-box.ts'
import { createComparer } from '../../../worker/pictures/comparer.ts'
import { createPictures } from '../../../worker/pictures/pictures.ts'
import { createPostgresCheckSource } from '../../../worker/queue/postgres-check-source.ts'
import { createRecorder } from '../../../worker/record/recorder.ts'
import type { SearchProvider } from '../../../worker/searches/search-provider.ts'
import { createSearches } from '../../../worker/searches/searches.ts'

export interface WorkerOptions {
  /** Of the store. */
  readonly url: string
  readonly secrets: SecretBox
  readonly leaseMs?: number
  readonly concurrency?: number
  readonly perHost?: number
  /** How often it looks for due checks by itself; without it more often than a process does. */
  readonly idleMs?: number
  /** As the loop of a browser does. */
  readonly rendersPages?: boolean
  readonly patternMs?: number
  /** Owners are told, and this is called when there may be something to tell. */
  readonly onNotices?: () => void
  readonly onInternalError?: () => void
  /** TIDEMARK_PROXY_URL. */
  readonly proxyUrl?: string
  /** Settings of the model; without an address there is none. */
  readonly model?: Partial<ModelSettings>
  /** Renders pages; without it there is no browser. */
  readonly browsers?: Pick<Browsers, 'render'> | undefined
  /** Asks search engines; without it there are no searches. */
  readonly search?: SearchWorking | undefined
  /** Where pictures go; without it none can be kept. */
  readonly objects?: ObjectStore | undefined
  /** Resolves the names of checks; without it the machine's. */
  readonly resolver?: Resolver
  /** Around the check itself. */
  readonly around?: (task: Task, go: () => Promise<Reading>) => Promise<Reading>
}

interface SearchWorking {
  readonly means: SearchMeans
  readonly provider?: SearchProvider | null
  readonly spacingMs?: number
  readonly exit?: string
  readonly registry?: Registry
  readonly mails?: SearchRecording['mails']
}

/** A worker as a process has it, without the process: claims, checks over real sockets, records. */
export interface RunningWorker extends AsyncDisposable {
  readonly loop: CheckLoop
  readonly store: Store
  /** Lines of the log, at warn and above. */
  readonly log: readonly string[]
  /** Drains and closes; also what disposal does, with little grace. */
  stop(graceMs: number): Promise<void>
}

const recordingOf = ({ spacingMs = 0, mails = NO_MAILS }: Partial<SearchWorking> = {}): SearchRecording => ({
  spacingMs,
  mails,
  linkOf: () => null,
})

interface SearchParts {
  readonly store: Store
  readonly objects: ObjectStore | undefined
  readonly log: Logger
}

function claimingOf(working: SearchWorking | undefined, { store, objects = NO_OBJECTS, log }: SearchParts) {
  if (!working) return undefined
  const { exit = 'default', spacingMs = 0, provider = null, registry = new Registry() } = working
  const searches = createSearches({ store, objects, provider, registry, log })
  return { exit, hasProvider: provider !== null, spacingMs, searches }
}

const NO_MAILS = { add: async () => false }

/** Keeps nothing. */
const NO_OBJECTS: ObjectStore = {
  put: async () => {},
  get: async () => null,
  remove: async () => {},
  names: async function* () {},
  close: async () => {},
}

/** A look at all queues takes 2.4 ms of processor time, and many tests have a worker that waits. */
const IDLE_MS = 100

const loopOf = ({ concurrency = 32, perHost = 8, rendersPages = false, idleMs = IDLE_MS }: WorkerOptions) => ({
  concurrency,
  perHost,
  rendersPages,
  idleMs,
})

const MODEL: ModelSettings = { LLM_MODEL: 'a-model', TIDEMARK_LLM_CONCURRENCY: 8, TIDEMARK_LLM_TIMEOUT_SECONDS: 5 }

export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { secrets, leaseMs = 60_000 } = options
  const lines: string[] = []
  const log = createLogger('warn', { write: (line) => void lines.push(line) })
  const store = await openStore({
    url: options.url,
    name: 'test worker',
    log,
    connections: 6,
    connectTimeoutMs: 20_000,
  })
  const egress = createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] })
  const agent = createGuardedAgent(egress, options.resolver && { resolver: options.resolver })
  const layer = proxyLayerOf({
    settings: options.proxyUrl ? { TIDEMARK_PROXY_URL: options.proxyUrl } : {},
    egress,
    log,
  })
  const proxy = layer ? { layer, holdFor: ({ no }: Task) => proxyHold(store, { checkNo: no }, log) } : undefined
  const extractor = createExtractor({ threads: 1 })
  const pages = createPageReader()
  const patterns = createPatternMatcher({ timeoutMs: options.patternMs ?? 1_000 })
  const differ = createTextDiffer()
  const comparer = options.objects && createComparer()
  const pictures = options.objects && comparer && createPictures({ store, objects: options.objects, comparer, log })
  const recorder = createRecorder({
    kinds: WORK_KINDS,
    store,
    secrets,
    patterns,
    differ,
    log,
    onDeliveries: () => {},
    patienceMs: leaseMs,
    ...(pictures && { pictures }),
    searches: recordingOf(options.search),
    ...(options.onNotices && { onNotices: options.onNotices }),
    ...(options.onInternalError && { onInternalError: options.onInternalError }),
  })
  const prompts = promptsOf({ ...MODEL, ...options.model }, { store, log, patienceMs: leaseMs })
  const { around, browsers, search: working } = options
  const search = claimingOf(working, { store, objects: options.objects, log })
  const loop = createCheckLoop({
    source: createPostgresCheckSource({
      kinds: WORK_KINDS,
      store,
      secrets,
      recorder,
      prompts,
      extractor,
      queues: CHECK_QUEUES,
      leaseMs,
      search,
    }),
    check: (task, signal) => {
      // As in a process, where a loop of its own has what is rendered.
      const browser = browsers && task.queue === 'static' ? 'elsewhere' : browsers
      const go = () =>
        checkByKind(CHECK_KINDS, task, { agent, extractor, pages, proxy, browser, search: working?.means, signal })
      return around ? around(task, go) : go()
    },
    log,
    outage: storeOutage(log),
    metrics: createCheckMetrics(new Registry()),
    leaseMs,
    ...loopOf(options),
  })
  let stopped: Promise<void> | undefined
  const stop = async (graceMs: number) => {
    await loop.drain(graceMs)
    await prompts?.close()
    await agent.destroy()
    await recorder.settle()
    await comparer?.close()
    await patterns.close()
    await differ.close()
    await extractor.close()
    await pages.close()
    await store.end()
  }
  loop.start()
  return {
    loop,
    store,
    log: lines,
    stop: (graceMs) => (stopped ??= stop(graceMs)),
    [Symbol.asyncDispose]: () => (stopped ??= stop(100)),
  }
}
