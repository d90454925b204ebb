import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Registry } from 'prom-client'
import { TokenBucket } from '../concurrency/loops/token-bucket.ts'
import { READ_BY_MONITORS } from '../core/custom-resource/annotations.ts'
import { derivedKey } from '../core/derived-key.ts'
import type { Logger } from '../core/logger.ts'
import type { EgressPolicy } from '../egress/policy.ts'
import type { Store } from '../store/db/client.ts'
import { beginEpoch, fencedStore } from '../store/db/operator-epoch.ts'
import { declaredRecords } from '../store/monitors/monitor-resource.ts'
import type { SecretBox } from '../store/secrets/secret-box.ts'
import { EventRecorder } from './cluster/event-recorder.ts'
import { installationOf } from './cluster/installation-of.ts'
import { type KubeClient, KubeError } from './cluster/kube-client.ts'
import type { KubeObject } from './cluster/kube-object.ts'
import { Leader } from './cluster/leader.ts'
import { OPERATOR_LEASE } from './cluster/lease.ts'
import { Namespaces } from './cluster/namespaces.ts'
import { KindOperator } from './kind-operator.ts'
import type { OperatorContext } from './operator-context.ts'
import { createOperatorMetrics, type OperatorMetrics } from './operator-metrics.ts'
import { OPERATOR_TIMES, type OperatorTimes } from './operator-times.ts'
import type { DefaultTeam } from './reconcile/custom-resource.ts'
import { KINDS } from './reconcile/kinds.ts'
import { createResolver } from './reconcile/resolve-resource.ts'
import type { SecretRules } from './reconcile/secret-rules.ts'
import { createResultsLoop } from './results-loop.ts'
import type { RunnerPods } from './runners/runner-job.ts'
import { RunnerRefusal } from './runners/runner-refusal.ts'
import { Spawner } from './runners/spawner.ts'

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

/**
 * Starts an operator: it waits until it is the leader of its cluster, then keeps the records of the store in line with
 * the custom resources of the cluster, and their statuses in line with the records.
 */
export async function startOperator(options: OperatorOptions): Promise<Operator> {
  const { client, namespace, log } = options
  const times = { ...OPERATOR_TIMES, ...options.times }
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
  const { store, runners: pods } = options
  const { clusterId, stopping, metrics } = leadership
  const epoch = await beginEpoch(store, clusterId)
  const declared = await declaredRecords(store, clusterId)
  const context = contextOf(options, leadership, epoch)
  const { namespaces, events } = context
  const kinds = KINDS.map((kind) => {
    const own = declared.filter((record) => record.kind === kind.records.resource.declares)
    return new KindOperator(context, kind, own)
  })
  const results = createResultsLoop(context, kinds)
  const spawner = pods && new Spawner(context, pods)
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

/** Returns what the parts of a leader share. Nothing of it has started. */
function contextOf(options: OperatorOptions, leadership: Leadership, epoch: number): OperatorContext {
  const { client, store, secrets, egress, defaultTeam, serpSpacingMs = 30_000, log } = options
  const { clusterId, identity, times, metrics, giveUp } = leadership
  const namespaces = new Namespaces({ client, log })
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
  return {
    client,
    store,
    secrets,
    useCases: { store: fencedStore(store, clusterId, epoch), secrets, wake() {} },
    clusterId,
    epoch,
    namespaces,
    resolve,
    events: new EventRecorder({ client, instance: identity, log }),
    defaultTeam,
    serpSpacingMs,
    runnerRefusal: new RunnerRefusal(),
    notDelivering: new Map(),
    times,
    mirrorPace: new TokenBucket(times.mirrors.writes),
    reconciled: metrics.reconciled,
    giveUp,
    log,
  }
}
