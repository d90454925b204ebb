import { KeyedQueue } from '../concurrency/loops/keyed-queue.ts'
import type { WakeableLoop } from '../concurrency/loops/wakeable-loop.ts'
import { MIRROR_OF } from '../core/custom-resource/annotations.ts'
import { definitionName, resourcesPath } from '../schema/resource-kind.ts'
import { NotLeaderError } from '../store/db/operator-epoch.ts'
import type { DeclaredRow } from '../store/monitors/monitor-resource.ts'
import { keyOf } from './cluster/kube-object.ts'
import { Reflector } from './cluster/reflector.ts'
import { createMirrorLoop } from './mirrors/mirror-loop.ts'
import type { OperatorContext, ReconcileOutcome } from './operator-context.ts'
import { type CustomResource, hasFinalizer, stripped } from './reconcile/custom-resource.ts'
import type { OperatedKind } from './reconcile/kinds.ts'
import { Reconciler } from './reconcile/reconciler.ts'

/** Most of the time of a worker is waiting for the API server. A server gives one user some 200 at once. */
const WORKERS = 32

/** Keeps the records of one kind in line with its resources. */
export class KindOperator {
  readonly kind: OperatedKind
  readonly resources: Reflector<CustomResource>
  readonly queue: KeyedQueue
  readonly reconciler: Reconciler
  readonly #context: OperatorContext
  /** The records that resources declare, by key; kept up to date by the reconciler. */
  readonly #records = new Map<string, DeclaredRow>()
  readonly #mirrors: WakeableLoop
  readonly #stopping = new AbortController()

  /** @param declared the records of this kind that the cluster's resources declare, as the store has them */
  constructor(context: OperatorContext, kind: OperatedKind, declared: readonly DeclaredRow[]) {
    this.#context = context
    this.kind = kind
    for (const record of declared) this.#records.set(`${record.namespace}/${record.name}`, record)
    this.resources = this.#reflector()
    const waiting = () => this.queue.depth
    this.reconciler = new Reconciler(context, { kind, resources: this.resources, records: this.#records, waiting })
    this.queue = this.#queue()
    this.#mirrors = this.#mirrorLoop()
    context.namespaces.onTeam((name) => this.#namespaceChanged(name))
    context.runnerRefusal.onChange(() => this.#runnersChanged())
  }

  /**
   * Resolves when every resource was seen. Without the definition of the kind in the cluster that is later: the work
   * begins when it is installed, and this resolves at once.
   */
  async start(): Promise<void> {
    const { namespaces } = this.#context
    this.resources.start()
    const working = Promise.all([namespaces.synced, this.resources.synced]).then(() => this.#begin())
    await Promise.race([working, this.resources.looked.then(() => namespaces.synced)])
    if (!this.resources.state().isUnknown) await working
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all([this.resources.stop(), this.#mirrors.stop()])
    await this.queue.stop()
  }

  /** Looks again at the resources of a namespace that another team has now. */
  #namespaceChanged(name: string): void {
    for (const resource of this.resources.all())
      if (resource.metadata.namespace === name && !this.#isMirror(resource)) this.queue.add(keyOf(resource))
  }

  /** Looks again at the resources whose checks need a browser: runner pods are refused, or not any more. */
  #runnersChanged(): void {
    for (const resource of this.resources.all())
      if (this.kind.needsBrowser(resource.spec) && !this.#isMirror(resource)) this.queue.add(keyOf(resource), 'later')
  }

  /** The resources that declare a record: all but mirrors. */
  *declared(): Iterable<CustomResource> {
    for (const resource of this.resources.all()) if (!this.#isMirror(resource)) yield resource
  }

  #begin(): void {
    if (this.#stopping.signal.aborted) return
    // Resources that are gone although nobody saw their deletion.
    for (const key of this.#records.keys())
      if (!this.resources.get(key)) {
        this.reconciler.noteVanished(key, 'missing')
        this.queue.add(key, 'later')
      }
    this.queue.start()
    this.#mirrors.start()
    const { kind } = this
    const { clusterId, epoch, log } = this.#context
    const { size } = this.resources.state()
    log.info(
      { cluster: clusterId, epoch, kind: kind.records.resource.kind, resources: size },
      'the operator has seen every resource',
    )
  }

  #isMirror(resource: CustomResource | undefined): boolean {
    return resource?.metadata.labels?.[MIRROR_OF] !== undefined && !this.#records.has(keyOf(resource))
  }

  #reflector(): Reflector<CustomResource> {
    const { kind } = this
    const { client, log } = this.#context
    return new Reflector<CustomResource>({
      client,
      path: resourcesPath(kind.records.resource),
      strip: (resource) => stripped(kind.records.resource, resource),
      onChange: (key, { before, now, how }) => {
        // The mirror loop looks at its own. A label that somebody puts on a declared resource changes nothing.
        if (this.#isMirror(now ?? before)) return
        if (how !== 'set') this.reconciler.noteVanished(key, how)
        // The operator's own status writes change neither generation nor annotations.
        if (isNewTo(before, now)) this.queue.add(key, before ? 'urgent' : 'later')
      },
      onBack: () => this.queue.retryFailing(),
      log,
    })
  }

  #queue(): KeyedQueue {
    const { giveUp, log } = this.#context
    const definition = definitionName(this.kind.records.resource)
    return new KeyedQueue({
      work: (key) => this.#timed(() => this.reconciler.work(key)),
      onFault: (key, err) => {
        if (err instanceof NotLeaderError) {
          log.warn({ resource: key, definition }, err.message)
          giveUp()
        } else log.warn({ err, resource: key, definition }, 'a resource could not be reconciled; trying again')
      },
      workers: WORKERS,
      faultPauses: { firstMs: 750, longestMs: 900_000 },
      repeats: { perSecond: 10, burst: 100 },
    })
  }

  async #timed<T>(work: () => Promise<T>): Promise<T> {
    const startedAt = performance.now()
    let outcome: ReconcileOutcome = 'fault'
    try {
      const result = await work()
      outcome = 'done'
      return result
    } finally {
      this.#context.reconciled(this.kind.records.resource.kind, outcome, (performance.now() - startedAt) / 1_000)
    }
  }

  #mirrorLoop(): WakeableLoop {
    const { client, store, secrets, namespaces, defaultTeam, times, mirrorPace, log } = this.#context
    return createMirrorLoop({
      kind: this.kind,
      pace: mirrorPace,
      client,
      store,
      secrets,
      namespaces: () => namespaces.all(),
      mirrors: () => [...this.resources.all()].filter((resource) => this.#isMirror(resource)),
      learn: (resource) => this.resources.learn(resource),
      defaultTeam,
      times: times.mirrors,
      log,
    })
  }
}

function isNewTo(before: CustomResource | undefined, now: CustomResource | undefined): boolean {
  if (!before || !now) return true
  const [one, other] = [before.metadata, now.metadata]
  return (
    one.uid !== other.uid ||
    // Nobody wrote, and it looks different: the definition has other fields now.
    one.resourceVersion === other.resourceVersion ||
    one.generation !== other.generation ||
    one.deletionTimestamp !== other.deletionTimestamp ||
    // Also of what the operator does not read: somebody wants it to look again.
    one.edit !== other.edit ||
    JSON.stringify(one.labels) !== JSON.stringify(other.labels) ||
    // The operator's own finalizer is news only when somebody took it away.
    (hasFinalizer(before) && !hasFinalizer(now))
  )
}
