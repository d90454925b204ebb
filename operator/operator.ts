import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Registry } from 'prom-client'
import { TokenBucket } from '../concurrency/loops/token-bucket.ts'
import { createWakeableLoop } from '../concurrency/loops/wakeable-loop.ts'
import { READ_BY_MONITORS, TEAM } from '../core/custom-resource/annotations.ts'
import { derivedKey } from '../core/derived-key.ts'
import type { Logger } from '../core/logger.ts'
import type { EgressPolicy } from '../egress/policy.ts'
import type { MonitorKind } from '../schema/resource-kind.ts'
import type { Store } from '../store/db/client.ts'
import { beginEpoch } from '../store/db/operator-epoch.ts'
import { failedDeliveries, finishedSince, restingRecords } from '../store/monitors/changed-resources.ts'
import { type DeclaredRow, declaredRecords } from '../store/monitors/monitor-resource.ts'
import type { SecretBox } from '../store/secrets/secret-box.ts'
import { EventRecorder } from './cluster/event-recorder.ts'
import { installationOf } from './cluster/installation-of.ts'
import { type KubeClient, KubeError } from './cluster/kube-client.ts'
import type { KubeObject } from './cluster/kube-object.ts'
import { Leader } from './cluster/leader.ts'
import { OPERATOR_LEASE } from './cluster/lease.ts'
import { Reflector } from './cluster/reflector.ts'
import { KindOperator } from './kind-operator.ts'
import { MIRROR_TIMES, type MirrorTimes } from './mirrors/mirror-loop.ts'
import { createOperatorMetrics, type OperatorMetrics } from './operator-metrics.ts'
import type { DefaultTeam } from './reconcile/custom-resource.ts'
import { KINDS } from './reconcile/kinds.ts'
import type { ReconcilerTimes } from './reconcile/reconciler.ts'
import { createResolver } from './reconcile/resolve-resource.ts'
import type { SecretRules } from './reconcile/secret-rules.ts'
import type { RunnerPods } from './runners/runner-job.ts'
import { Spawner, SPAWNER_TIMES, type SpawnerTimes } from './runners/spawner.ts'

export interface OperatorOptions {
  readonly client: KubeClient
  readonly store: Store
  readonly secrets: SecretBox
  readonly encryptionKey: string
  /** The id of the cluster that the records belong to. Undefined: the cluster's own. */
  readonly clusterId?: string | undefined
  readonly egress: EgressPolicy
  readonly defaultTeam: DefaultTeam | null
  /** The namespace of the installation, which has the Lease. */
  readonly namespace: string
  readonly secretRules: SecretRules
  /** `TIDEMARK_SERP_SPACING_MS`. Default: that of the settings. */
  readonly serpSpacingMs?: number
  /** The runner pods that it starts, in the namespace of the client. Null: none. */
  readonly runners: RunnerPods | null
  readonly registry: Registry
  /** Metrics have a series for each resource. Default: false. */
  readonly metricsPerResource?: boolean
  readonly log: Logger
  /** Durations that tests shorten. */
  readonly times?: Partial<OperatorTimes>
}

interface OperatorTimes extends ReconcilerTimes {
  readonly mirrors: MirrorTimes
  readonly runners: SpawnerTimes
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
  /** Whether this process leads, or another one that renews the lease. */
  readonly isLed: boolean
  stop(): Promise<void>
}

const TIMES: OperatorTimes = {
  resultsMs: 1_000,
  resyncMs: 600_000,
  secretMs: 60_000,
  statusMs: 60_000,
  mirrors: MIRROR_TIMES,
  runners: SPAWNER_TIMES,
  election: { leaseMs: 15_000, renewMs: 10_000, everyMs: 2_000 },
}
/** Runs are recorded a little after they end, and processes' clocks differ. */
const OVERLAP_MS = 10_000
/** The pause between two looks for results is at least this many times as long as a look. */
const LOOK_SHARE = 20
/** Looks for results between two looks for records that rest. */
const REST_LOOKS = 10

/**
 * Starts an operator: it waits until it is the leader of its cluster, then keeps the records of the store in line with
 * the custom resources of the cluster, and their statuses in line with the records.
 */
export async function startOperator(options: OperatorOptions): Promise<Operator> {
  const { client, namespace, log } = options
  const times = { ...TIMES, ...options.times }
  if (!options.secretRules.requireLabel)
    log.warn(
      { label: `${READ_BY_MONITORS}=true` },
      'whoever may create a monitor in a namespace can use every Secret that the operator may read there: ' +
        'label the Secrets that monitors read, and start the operator without --read-unlabelled-secrets',
    )
  const clusterId = options.clusterId ?? (await clusterIdOf(client))
  const identity = `${hostname()}-${randomUUID().slice(0, 8)}`
  const installation = await installationOf(client)
  const leader = new Leader({
    client,
    namespace,
    name: OPERATOR_LEASE,
    identity,
    installation,
    log,
    times: times.election,
  })
  const metrics = createOperatorMetrics(options.registry)
  metrics.leads(false)
  const stopping = new AbortController()
  let end = async () => {}
  const leading = leader.acquire(stopping.signal).then(async () => {
    const leadership = { clusterId, identity, times, metrics, stopping: stopping.signal }
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
    metrics.leads(false)
    ended ??= leading.catch(() => {}).then(() => end())
    return ended
  }
  // Another process works from now on.
  void leader.lost.then(endWork)
  return {
    leading,
    lost: leader.lost,
    get isLed() {
      return leader.isHeld
    },
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
  readonly metrics: OperatorMetrics
  readonly stopping: AbortSignal
  /** Called when the store knows another leader. */
  readonly giveUp: () => void
}

async function lead(options: OperatorOptions, leadership: Leadership): Promise<() => Promise<void>> {
  const { store } = options
  const { clusterId, stopping, metrics } = leadership
  const epoch = await beginEpoch(store, clusterId)
  const declared = await declaredRecords(store, clusterId)
  const { namespaces, kinds, events, runners } = partsOf(options, { ...leadership, epoch, declared })
  const results = createResultsLoop(options, { clusterId, kinds, everyMs: leadership.times.resultsMs })
  const onRefusal = (why: string | null) => {
    runners.refusal = why
    for (const kind of kinds) kind.runnersChanged()
  }
  const spawner = spawnerOf(options, { ...leadership, epoch, events, onRefusal })
  spawner?.start(options.registry)
  namespaces.start()
  const stopped = Promise.withResolvers<void>()
  stopping.addEventListener('abort', () => stopped.resolve(), { once: true })
  await Promise.race([Promise.all(kinds.map((kind) => kind.start())), stopped.promise])
  metrics.watch(kinds, events, { perResource: options.metricsPerResource === true })
  metrics.leads(true)
  results.start()
  return async () => {
    await Promise.all([namespaces.stop(), results.stop(), spawner?.stop(), ...kinds.map((kind) => kind.stop())])
    await events.stop()
  }
}

interface Spawning extends Leadership {
  readonly epoch: number
  readonly events: EventRecorder
  readonly onRefusal: (why: string | null) => void
}

function spawnerOf(
  { runners: pods, client, store, log }: OperatorOptions,
  { clusterId, epoch, giveUp, times, events, onRefusal }: Spawning,
): Spawner | null {
  if (pods === null) return null
  return new Spawner({ pods, client, store, clusterId, epoch, events, giveUp, onRefusal, times: times.runners, log })
}

interface Epoch extends Leadership {
  readonly epoch: number
  readonly declared: readonly DeclaredRow[]
}

/** Returns the parts of a leader: they refer to each other, and none has started. */
function partsOf(options: OperatorOptions, { clusterId, identity, times, metrics, epoch, declared, giveUp }: Epoch) {
  const { client, store, secrets, egress, defaultTeam, serpSpacingMs = 30_000, log } = options
  const events = new EventRecorder({ client, instance: identity, log })
  const namespaces = new Reflector<KubeObject>({
    client,
    path: '/api/v1/namespaces',
    strip: ({ metadata: { name, uid, resourceVersion, labels = {} } }) => ({
      metadata: { name, uid, resourceVersion, labels },
    }),
    onChange: (name, { before, now }) => {
      // A resource may be seen before its namespace is.
      if (!before || teamIn(before) !== teamIn(now)) for (const kind of kinds) kind.namespaceChanged(name)
    },
    log,
  })
  const resolve = createResolver({
    client,
    store,
    egress,
    namespaceOf: (name) => namespaces.get(name),
    defaultTeam,
    hashKey: derivedKey(options.encryptionKey, 'applied resources'),
    secretMs: times.secretMs,
    secretRules: options.secretRules,
    installation: options.namespace,
    startsRunners: options.runners !== null,
  })
  const mirrorPace = new TokenBucket(times.mirrors.writes)
  const runners = { refusal: null as string | null }
  const shared = {
    noRunners: () => runners.refusal,
    client,
    store,
    secrets,
    clusterId,
    epoch,
    namespaces,
    resolve,
    events,
    defaultTeam,
    serpSpacingMs,
    times,
    mirrorPace,
    reconciled: metrics.reconciled,
  }
  const kinds: readonly KindOperator[] = KINDS.map((kind) => {
    const own = declared.filter((record) => record.kind === kind.records.resource.declares)
    return new KindOperator({ ...shared, kind, declared: own, giveUp, log })
  })
  return { namespaces, kinds, events, runners }
}

interface ResourceKey {
  readonly kind: MonitorKind
  readonly key: string
}

interface RestingKey extends ResourceKey {
  readonly why: string
}

interface ResultsLoop {
  readonly clusterId: string
  readonly kinds: readonly KindOperator[]
  readonly everyMs: number
}

/** Returns the loop that adds resources whose records had a run to the queue. */
function createResultsLoop({ store, log }: OperatorOptions, { clusterId, kinds, everyMs }: ResultsLoop) {
  const queues = new Map(kinds.map(({ kind, queue }) => [kind.records.resource.declares, queue]))
  const look = ({ kind, key }: ResourceKey) => queues.get(kind)?.add(key, 'later')
  let since: string | null = null
  /** The runs of the last look, which the overlap shows again. */
  let looked: ReadonlyMap<string, string> = new Map()
  /**
   * What rests or fails to deliver, and why, since the last look for that. Null: there was none, and each resource is
   * looked at anyway.
   */
  let resting: ReadonlyMap<string, RestingKey> | null = null
  let restingAt = 0
  let isAway = false

  async function lookForRuns(): Promise<void> {
    const now = new Map<string, string>()
    for (const { kind, namespace, name, last_run_at: at } of await finishedSince(store, clusterId, since)) {
      const key = `${namespace}/${name}`
      now.set(`${kind} ${key}`, at)
      if (looked.get(`${kind} ${key}`) !== at) look({ kind, key })
      const next = new Date(Date.parse(at) - OVERLAP_MS).toISOString()
      if (since === null || next > since) since = next
    }
    looked = now
  }

  async function lookForRest(): Promise<void> {
    const now = new Map<string, RestingKey>()
    for (const found of [await restingRecords(store, clusterId), await failedDeliveries(store, clusterId)])
      for (const { kind, namespace, name, why } of found) {
        const key = `${namespace}/${name}`
        const id = `${kind} ${key}`
        now.set(id, { kind, key, why: `${now.get(id)?.why ?? ''} ${why}` })
      }
    const before = resting
    if (before)
      for (const [id, one] of new Map([...before, ...now])) if (before.get(id)?.why !== now.get(id)?.why) look(one)
    resting = now
  }

  return createWakeableLoop({
    work: async () => {
      const began = performance.now()
      await lookForRuns()
      if (began >= restingAt) {
        await lookForRest()
        restingAt = began + REST_LOOKS * everyMs
      }
      // After a long outage the next attempts would be many minutes away.
      if (isAway) for (const { queue } of kinds) queue.retryFailing()
      isAway = false
      return Math.max(everyMs, LOOK_SHARE * (performance.now() - began))
    },
    onFault: (err) => {
      isAway = true
      log.warn({ err }, 'the store did not answer about results; trying again')
    },
    faultPauses: { firstMs: 1_000, longestMs: 10_000 },
  })
}

const teamIn = (namespace: KubeObject | undefined) => namespace?.metadata.labels?.[TEAM]
