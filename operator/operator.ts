import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { Gauge, type Registry } from 'prom-client'
import { KeyedQueue } from '../concurrency/keyed-queue.ts'
import { createWakeableLoop } from '../concurrency/wakeable-loop.ts'
import { derivedKey } from '../core/derived-key.ts'
import type { Logger } from '../core/logger.ts'
import type { EgressPolicy } from '../egress/policy.ts'
import type { Store } from '../store/db/client.ts'
import { beginEpoch, fencedStore, NotLeaderError } from '../store/db/operator-epoch.ts'
import { type DeclaredRow, declaredRecords, finishedSince } from '../store/monitors/monitor-resource.ts'
import type { SecretBox } from '../store/secrets/secret-box.ts'
import { EventRecorder } from './cluster/event-recorder.ts'
import { type KubeClient, KubeError } from './cluster/kube-client.ts'
import { Leader, OPERATOR_LEASE } from './cluster/leader.ts'
import { keyOf, type KubeObject } from './cluster/objects.ts'
import { Reflector } from './cluster/reflector.ts'
import { createMirrorLoop, MIRROR_TIMES, type MirrorTimes } from './mirrors/mirror-loop.ts'
import {
  type DefaultTeam,
  MIRROR_OF,
  MONITORS,
  type MonitorResource,
  stripped,
  TEAM,
} from './reconcile/monitor-resource.ts'
import { Reconciler, type ReconcilerTimes } from './reconcile/reconciler.ts'
import { createResolver } from './reconcile/resolve.ts'

export interface OperatorOptions {
  readonly client: KubeClient
  readonly store: Store
  readonly secrets: SecretBox
  readonly encryptionKey: string
  /** The id of the cluster that the records belong to. Undefined: the cluster's own. */
  readonly clusterId?: string | undefined
  readonly egress: EgressPolicy
  readonly defaultTeam: DefaultTeam | null
  /** The namespace of the Lease. */
  readonly namespace: string
  readonly registry: Registry
  readonly log: Logger
  /** Durations that tests shorten. */
  readonly times?: Partial<OperatorTimes>
}

interface OperatorTimes extends ReconcilerTimes {
  readonly mirrors: MirrorTimes
  /** How often the store is asked for new results. */
  readonly resultsMs: number
  readonly election: { readonly leaseMs: number; readonly renewMs: number; readonly everyMs: number }
}

/** An operator of one cluster. */
export interface Operator {
  /** Resolves when this process leads and has seen every resource. Rejects when it is stopped before. */
  readonly leading: Promise<void>
  /** Resolves when the leadership is lost: the process must end, and starts anew. */
  readonly lost: Promise<void>
  stop(): Promise<void>
}

const TIMES: OperatorTimes = {
  resultsMs: 1_000,
  resyncMs: 600_000,
  secretMs: 60_000,
  mirrors: MIRROR_TIMES,
  election: { leaseMs: 15_000, renewMs: 10_000, everyMs: 2_000 },
}
const WORKERS = 16
/** Runs are recorded a little after they end, and processes' clocks differ. */
const OVERLAP_MS = 10_000
/** The pause between two looks for results is at least this many times as long as a look. */
const LOOK_SHARE = 20

/**
 * Starts an operator: it waits until it is the leader of its cluster, then keeps the records of the store in line with
 * the resources `Monitor`, and their statuses in line with the records.
 */
export async function startOperator(options: OperatorOptions): Promise<Operator> {
  const { client, namespace, log } = options
  const times = { ...TIMES, ...options.times }
  const clusterId = options.clusterId ?? (await clusterIdOf(client))
  const identity = `${hostname()}-${randomUUID().slice(0, 8)}`
  const leader = new Leader({ client, namespace, name: OPERATOR_LEASE, identity, log, times: times.election })
  const stopping = new AbortController()
  let end = async () => {}
  const leading = leader.acquire(stopping.signal).then(async () => {
    const leadership = { clusterId, identity, times, stopping: stopping.signal }
    try {
      end = await lead(options, { ...leadership, giveUp: () => leader.giveUp() })
    } catch (error) {
      // A leader that could not begin must not keep the others waiting.
      await leader.release()
      throw error
    }
  })
  // The caller may look at it later.
  leading.catch(() => {})
  let ended: Promise<void> | undefined
  const endWork = () => {
    stopping.abort()
    ended ??= leading.catch(() => {}).then(() => end())
    return ended
  }
  // Another process works from now on.
  void leader.lost.then(endWork)
  return {
    leading,
    lost: leader.lost,
    async stop() {
      await endWork()
      await leader.release()
    },
  }
}

/** Returns the id of the cluster: the uid of its namespace kube-system, which lives as long as the cluster. */
async function clusterIdOf(client: KubeClient): Promise<string> {
  const answer = await client.call<KubeObject>({ method: 'GET', path: '/api/v1/namespaces/kube-system' })
  if (answer.status !== 200) throw new KubeError('the namespace kube-system, whose uid names the cluster', answer)
  return answer.body.metadata.uid
}

interface Leadership {
  readonly clusterId: string
  readonly identity: string
  readonly times: OperatorTimes
  readonly stopping: AbortSignal
  /** Called when the store knows another leader. */
  readonly giveUp: () => void
}

async function lead(options: OperatorOptions, leadership: Leadership): Promise<() => Promise<void>> {
  const { store, log, registry } = options
  const { clusterId, stopping } = leadership
  const epoch = await beginEpoch(store, clusterId)
  const records = new Map<string, DeclaredRow>()
  for (const record of await declaredRecords(store, clusterId))
    records.set(`${record.namespace}/${record.name}`, record)
  const parts = partsOf(options, { ...leadership, epoch, records })
  const { namespaces, monitors, reconciler, queue, events, mirrors } = parts
  const results = createResultsLoop(options, { clusterId, queue, everyMs: leadership.times.resultsMs })
  namespaces.start()
  monitors.start()
  const stopped = Promise.withResolvers<void>()
  stopping.addEventListener('abort', () => stopped.resolve(), { once: true })
  await Promise.race([Promise.all([namespaces.synced, monitors.synced]), stopped.promise])
  // Resources that are gone although nobody saw their deletion.
  for (const key of records.keys())
    if (!monitors.get(key) && !stopping.aborted) {
      reconciler.noteVanished(key, 'missing')
      queue.add(key, 'later')
    }
  gauges(registry, { queue, monitors, events, reconciler })
  queue.start()
  results.start()
  mirrors.start()
  log.info({ cluster: clusterId, epoch, monitors: monitors.state().size }, 'the operator has seen every resource')
  return async () => {
    await Promise.all([namespaces.stop(), monitors.stop(), results.stop(), mirrors.stop()])
    await queue.stop()
    await events.stop()
  }
}

interface Epoch extends Leadership {
  readonly epoch: number
  readonly records: Map<string, DeclaredRow>
}

/** Returns the parts of a leader: they refer to each other, and none has started. */
function partsOf(options: OperatorOptions, { clusterId, identity, times, epoch, records, giveUp }: Epoch) {
  const { client, store, secrets, egress, defaultTeam, log } = options
  const events = new EventRecorder({ client, instance: identity, log })
  const isMirror = (resource: MonitorResource | undefined) =>
    resource?.metadata.labels?.[MIRROR_OF] !== undefined && !records.has(keyOf(resource))
  const namespaces = new Reflector<KubeObject>({
    client,
    path: '/api/v1/namespaces',
    strip: ({ metadata: { name, uid, resourceVersion, labels = {} } }) => ({
      metadata: { name, uid, resourceVersion, labels },
    }),
    onChange: (name, { before, now }) => {
      if (teamIn(before) === teamIn(now)) return
      for (const resource of monitors.all())
        if (resource.metadata.namespace === name && !isMirror(resource)) queue.add(keyOf(resource))
    },
    log,
  })
  const monitors = new Reflector<MonitorResource>({
    client,
    path: MONITORS,
    strip: stripped,
    onChange: (key, { before, now, how }) => {
      // The mirror loop looks at its own. A label that somebody puts on a declared resource changes nothing.
      if (isMirror(now ?? before)) return
      if (how !== 'set') reconciler.noteVanished(key, how)
      // The operator's own status writes change neither generation nor annotations.
      if (isNewTo(before, now)) queue.add(key, before ? 'urgent' : 'later')
    },
    log,
  })
  const reconciler = new Reconciler({
    client,
    context: { store: fencedStore(store, clusterId, epoch), secrets, wake: () => {} },
    clusterId,
    resourceOf: (key) => monitors.get(key),
    learn: (resource) => monitors.learn(resource),
    resolve: createResolver({
      client,
      store,
      egress,
      namespaceOf: (name) => namespaces.get(name),
      defaultTeam,
      hashKey: derivedKey(options.encryptionKey, 'applied resources'),
      secretMs: times.secretMs,
    }),
    records,
    events,
    waiting: () => queue.depth,
    times,
    log,
  })
  const queue = new KeyedQueue({
    work: (key) => reconciler.work(key),
    onFault: (key, err) => {
      if (err instanceof NotLeaderError) {
        log.warn({ resource: key }, err.message)
        giveUp()
      } else log.warn({ err, resource: key }, 'a resource could not be reconciled; trying again')
    },
    workers: WORKERS,
    faultPauses: { firstMs: 750, longestMs: 900_000 },
    repeats: { perSecond: 10, burst: 100 },
  })
  const mirrors = mirrorsOf(options, { namespaces, monitors, isMirror, times: times.mirrors })
  return { namespaces, monitors, reconciler, queue, events, mirrors }
}

interface Mirroring {
  readonly namespaces: Reflector<KubeObject>
  readonly monitors: Reflector<MonitorResource>
  readonly isMirror: (resource: MonitorResource) => boolean
  readonly times: MirrorTimes
}

const mirrorsOf = (
  { client, store, secrets, defaultTeam, log }: OperatorOptions,
  { namespaces, monitors, isMirror, times }: Mirroring,
) =>
  createMirrorLoop({
    client,
    store,
    secrets,
    namespaces: () => namespaces.all(),
    mirrors: () => [...monitors.all()].filter((resource) => isMirror(resource)),
    learn: (resource) => monitors.learn(resource),
    defaultTeam,
    times,
    log,
  })

interface ResultsLoop {
  readonly clusterId: string
  readonly queue: KeyedQueue
  readonly everyMs: number
}

/** Returns the loop that adds resources whose records had a run to the queue. */
function createResultsLoop({ store, log }: OperatorOptions, { clusterId, queue, everyMs }: ResultsLoop) {
  let since = new Date(Date.now() - 3_600_000).toISOString()
  /** The runs of the last look, which the overlap shows again. */
  let looked: ReadonlyMap<string, string> = new Map()
  return createWakeableLoop({
    work: async () => {
      const began = performance.now()
      const found = await finishedSince(store, clusterId, since)
      const tookMs = performance.now() - began
      const now = new Map(found.map(({ namespace, name, last_run_at: at }) => [`${namespace}/${name}`, at]))
      for (const [key, at] of now) {
        if (looked.get(key) !== at) queue.add(key, 'later')
        const next = new Date(Date.parse(at) - OVERLAP_MS).toISOString()
        if (next > since) since = next
      }
      looked = now
      return Math.max(everyMs, LOOK_SHARE * tookMs)
    },
    onFault: (err) => log.warn({ err }, 'the store did not answer about results; trying again'),
    faultPauses: { firstMs: 1_000, longestMs: 30_000 },
  })
}

const teamIn = (namespace: KubeObject | undefined) => namespace?.metadata.labels?.[TEAM]

function isNewTo(before: MonitorResource | undefined, now: MonitorResource | undefined): boolean {
  if (!before || !now) return true
  const [one, other] = [before.metadata, now.metadata]
  return (
    one.uid !== other.uid ||
    one.generation !== other.generation ||
    one.deletionTimestamp !== other.deletionTimestamp ||
    JSON.stringify(one.annotations) !== JSON.stringify(other.annotations) ||
    one.finalizers?.length !== other.finalizers?.length
  )
}

interface Measured {
  readonly queue: KeyedQueue
  readonly monitors: Reflector<MonitorResource>
  readonly events: { readonly dropped: number }
  readonly reconciler: Pick<Reconciler, 'resynced'>
}

function gauges(registry: Registry, { queue, monitors, events, reconciler }: Measured): void {
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name: `tidemark_operator_${name}`,
      help,
      registers: [registry],
      collect() {
        this.set(value())
      },
    })
  gauge('resources', 'Monitors in the cluster.', () => monitors.state().size)
  gauge('queue_depth', 'Resources that wait to be reconciled.', () => queue.depth)
  gauge('failing_resources', 'Resources whose last reconciliation failed.', () => queue.failing)
  gauge(
    'watch_quiet_seconds',
    'Seconds since the last event or bookmark of the API server.',
    () => monitors.state().quietMs / 1_000,
  )
  gauge('lists_total', 'Complete lists of resources.', () => monitors.state().lists)
  gauge('resyncs_total', 'Comparisons of resources with their records.', () => reconciler.resynced.resyncs)
  gauge(
    'corrections_total',
    'Differences that such a comparison found. A steady rate means that somebody changes records in the store.',
    () => reconciler.resynced.corrections,
  )
  gauge('events_dropped_total', 'Events that were dropped because too many came at once.', () => events.dropped)
}
