import { Counter, type Registry } from 'prom-client'
import type { Slots } from '../../concurrency/gates/slots.ts'
import type { Logger } from '../../core/logger.ts'
import type { Tracer } from '../../core/tracer.ts'
import { createChannels } from '../../deliveries/channels/channels.ts'
import { createDeliveryLoop } from '../../deliveries/loop/delivery-loop.ts'
import { createDeliveryMetrics } from '../../deliveries/loop/delivery-metrics.ts'
import { createNoticeLoop } from '../../deliveries/notices/notice-loop.ts'
import { createGuardedAgent } from '../../egress/guarded-agent.ts'
import type { EgressPolicy } from '../../egress/policy.ts'
import type { Browsers } from '../../runners/browser/browsers.ts'
import { bodySlots, ownCapacity } from '../../runners/capacity.ts'
import type { CheckPorts } from '../../runners/check/check.ts'
import { checkByKind } from '../../runners/check/kinds/check-kind.ts'
import type { Task } from '../../runners/check/task.ts'
import { createExtractor, type Extractor } from '../../runners/extract/pool/extractor.ts'
import { createPageReader, type PageReader } from '../../runners/fetch/paging/page-reader.ts'
import { createPatternMatcher } from '../../runners/pattern/pattern-matcher.ts'
import { measurePatterns } from '../../runners/pattern/pattern-metrics.ts'
import { createTextDiffer } from '../../runners/text-diff/text-differ.ts'
import { openStore, type Store } from '../../store/db/client.ts'
import { noteEncryptionKey } from '../../store/secrets/encryption-key-check.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import { queuesOf, type WorkKind } from '../../worker/kinds/work-kind.ts'
import { createBacklogMetrics } from '../../worker/maintenance/backlog-metrics.ts'
import { createEndedMutes } from '../../worker/maintenance/ended-mutes.ts'
import { startMaintenance } from '../../worker/maintenance/maintenance.ts'
import { createMonitorMetrics } from '../../worker/maintenance/monitor-metrics.ts'
import { createUsageCount } from '../../worker/maintenance/usage-count.ts'
import { createPostgresCheckSource } from '../../worker/queue/postgres-check-source.ts'
import { createRecorder } from '../../worker/record/recorder.ts'
import type { InstalledKind } from '../kinds.ts'
import { startDiskWatch } from '../parts/disk.ts'
import { mailerOf } from '../parts/mail.ts'
import { promptsOf } from '../parts/model.ts'
import { pageErrorsOf } from '../parts/page-errors.ts'
import { messagePicturesOf, startPictures } from '../parts/picture-parts.ts'
import { proxyHold, proxyLayerOf, proxyRelayOf } from '../parts/proxy.ts'
import { searchMeansOf } from '../parts/search-means.ts'
import { searchRecordingOf, searchSourceOf } from '../parts/search-parts.ts'
import type { Stack } from '../process/stack.ts'
import type { Settings } from '../settings/read-config.ts'
import { startRunnerApi } from './start-runner-api.ts'
import { createCheckLoops } from './worker-check-loops.ts'

/** The context of a process that checks and delivers. */
interface WorkerContext {
  readonly kinds: readonly InstalledKind[]
  readonly settings: Settings
  readonly databaseUrl: string
  /** The folder of the embedded database; null when there is none. */
  readonly databaseFolder: string | null
  readonly secrets: SecretBox
  /** Signs addresses of pictures. */
  readonly encryptionKey: string
  readonly egress: EgressPolicy
  /** The address that links in messages begin with; null: messages have no links. */
  readonly dashboardUrl: string | null
  /** Null: this process renders nothing. */
  readonly browsers: Browsers | null
  readonly registry: Registry
  readonly log: Logger
  /** Undefined: nothing is traced. */
  readonly tracer: Tracer | undefined
  readonly stack: Stack
}

/** A running worker, as the rest of its process uses it. */
export interface Worker {
  readonly store: Store
  /** Claims checks at once, because some may have become due. */
  wake(): void
  /** Milliseconds since the scheduler last made progress. */
  sinceProgress(): number
}

/**
 * The time that checks and delivery attempts in flight have at a stop, side by side. An attempt takes 15 seconds at
 * most, so none is cut off and sent twice. Unfinished checks are released, and another worker claims them.
 */
const DRAIN_MS = 18_000

/** Starts the check loop, the delivery loop and the maintenance of the store; the stack stops them. */
export async function startWorker(context: WorkerContext): Promise<Worker> {
  const { settings, secrets, registry, log, stack } = context
  const kinds = context.kinds.map(({ work }) => work)
  const leaseMs = settings.TIDEMARK_LEASE_SECONDS * 1000
  const store = await openWorkerStore(context, leaseMs)
  const { bodies, extractor, pages, patterns, differ } = createThreads(context)
  measurePatterns(registry, patterns)

  const { deliveries, notices } = sendingLoops(context, store)
  const disk = await startDiskWatch({ ...context, store, notifies: true })
  const { pictures, sweep } = startPictures({ ...context, store, disk })
  const recorder = createRecorder({
    kinds,
    store,
    pictures,
    secrets,
    patterns,
    differ,
    log,
    tracer: context.tracer,
    onDeliveries: () => deliveries.wake(),
    onNotices: () => notices.wake(),
    onInternalError: internalErrorsOf(registry),
    searches: searchRecordingOf(context),
    patienceMs: leaseMs,
  })
  stack.defer('the recorder', () => recorder.settle())
  const prompts = promptsOf(settings, { store, log, registry, patienceMs: leaseMs })
  stack.defer('questions to the model', () => prompts?.close())
  const checkOf = checksOf(context, { store, kinds, bodies, extractor, pages })
  const search = searchSourceOf({ ...context, store })
  const trusted = { secrets, kinds, recorder, prompts, extractor, leaseMs }
  const held = { ...trusted, relay: proxyRelayOf(context, store), search }
  const source = await startRunnerApi({ ...context, store, held })
  stack.defer('the runner API', () => source?.close())
  const checks = createCheckLoops({
    settings,
    registry,
    log,
    browsers: context.browsers,
    own: queuesOf(kinds),
    sourceOf: (queues) =>
      createPostgresCheckSource({
        ...trusted,
        store,
        queues,
        search: context.browsers ? search : { ...search, exit: null },
      }),
    check: checkOf,
  })
  stack.defer('checks and deliveries', () =>
    Promise.all([checks.drain(DRAIN_MS), deliveries.drain(DRAIN_MS), notices.drain(DRAIN_MS), source?.close()]),
  )

  const mutes = createEndedMutes({ store, secrets, log })
  const usage = createUsageCount(store, log)
  const maintenance = await startMaintenance(store, log, {
    leaseSeconds: settings.TIDEMARK_LEASE_SECONDS,
    others: [sweep, mutes, usage],
  })
  stack.defer('maintenance', () => Promise.all([maintenance.stop(), mutes.stop(), usage.stop()]))
  checks.start()
  deliveries.start()
  notices.start()
  return {
    store,
    wake: () => checks.wake(),
    sinceProgress: () => checks.sinceProgress(),
  }
}

async function openWorkerStore(context: WorkerContext, leaseMs: number): Promise<Store> {
  const store = await openStore({
    url: context.databaseUrl,
    name: 'tidemark worker',
    log: context.log,
    connections: 8,
    // Half a lease, so that a hanging statement fails before other workers take over.
    statementTimeoutMs: Math.min(30_000, Math.max(5_000, leaseMs / 2)),
  })
  context.stack.defer('the store of the worker', () => store.end())
  await noteEncryptionKey(store, context.secrets)
  measureStore(context, store)
  return store
}

/** Creates the threads for untrusted content. Each starts when it is first needed; the stack ends them. */
function createThreads({ stack, registry, log }: Pick<WorkerContext, 'stack' | 'registry' | 'log'>) {
  const onInternalError = pageErrorsOf({ registry, log })
  const { extractThreads, largeBodies } = ownCapacity()
  const extractor = createExtractor({ threads: extractThreads, onInternalError })
  stack.defer('extraction', () => extractor.close())
  const pages = createPageReader({ onInternalError })
  stack.defer('the page reader', () => pages.close())
  const patterns = createPatternMatcher()
  stack.defer('the pattern matcher', () => patterns.close())
  const differ = createTextDiffer()
  stack.defer('the comparison of texts', () => differ.close())
  return { bodies: bodySlots(largeBodies), extractor, pages, patterns, differ }
}

/** Returns what counts a run that ended with an internal error: a fault of this installation, not of a site. */
function internalErrorsOf(registry: Registry): () => void {
  const runs = new Counter({
    name: 'tidemark_internal_errors_total',
    help: 'Runs that ended with an internal error. They do not count as failures of their monitors.',
    registers: [registry],
  })
  return () => runs.inc()
}

/** Figures of the store, which every worker shows. */
function measureStore({ registry, settings }: WorkerContext, store: Store): void {
  createBacklogMetrics(registry, store)
  createMonitorMetrics(registry, store, settings.TIDEMARK_MONITOR_METRICS)
}

/** Returns the loops that send deliveries and notices, over the same channels. */
function sendingLoops(context: WorkerContext, store: Store) {
  const { settings, secrets, egress, registry, log, tracer, stack } = context
  const agent = createGuardedAgent(egress)
  stack.defer('the delivery connections', () => agent.destroy())
  const mailer = mailerOf(settings, log)
  stack.defer('the mail connections', () => mailer?.close())
  const { dashboardUrl } = context
  const sending = {
    store,
    secrets,
    links: { dashboardUrl },
    channels: createChannels({
      agent,
      mailer,
      dashboardUrl,
      pictures: messagePicturesOf({ ...context, store }),
    }),
    log,
    tracer,
    leaseSeconds: settings.TIDEMARK_LEASE_SECONDS,
    perHost: settings.TIDEMARK_DESTINATION_CONCURRENCY,
  }
  const metrics = createDeliveryMetrics(registry, 'notice')
  return {
    deliveries: createDeliveryLoop({ ...sending, metrics: createDeliveryMetrics(registry) }),
    notices: createNoticeLoop({ ...sending, metrics, hasMail: mailer !== null }),
  }
}

interface CheckParts {
  readonly store: Store
  readonly kinds: readonly WorkKind[]
  readonly bodies: Slots
  readonly extractor: Extractor
  readonly pages: PageReader
}

/** Returns what checks a task here. */
function checksOf(context: WorkerContext, { store, kinds, bodies, extractor, pages }: CheckParts) {
  const { egress, log, tracer, stack } = context
  const layer = proxyLayerOf(context)
  const proxy = layer
    ? { layer, holdFor: ({ no }: { no: number }) => proxyHold(store, { checkNo: no }, log) }
    : undefined
  const agent = createGuardedAgent(egress)
  stack.defer('the fetch connections', () => agent.destroy())
  const search = searchMeansOf(context)
  const ports = { agent, bodies, extractor, pages, proxy, search }
  return (task: Task, browser: CheckPorts['browser'], signal: AbortSignal) =>
    checkByKind(kinds, task, {
      ...ports,
      browser,
      signal,
      ...(tracer && { onFetched: () => tracer.fetched(task) }),
    })
}
