import { batched } from '../../concurrency/batches/batched.ts'
import type { WorkResult } from '../../concurrency/loops/keyed-queue.ts'
import { inCamelCase } from '../../core/custom-resource/property-words.ts'
import { THRESHOLD_PATH } from '../../monitors/check/threshold-warning.ts'
import type { MonitorContext } from '../../monitors/context.ts'
import { applyResources, isAsDeclared } from '../../monitors/declared/apply-resource.ts'
import type { ApplyOutcome, Declaration } from '../../monitors/declared/declaration.ts'
import { deleteDeclared, releaseResource } from '../../monitors/declared/end-declared.ts'
import { SYSTEM } from '../../schema/account/audit.ts'
import { definitionName } from '../../schema/resource-kind.ts'
import { NotLeaderError } from '../../store/db/operator-epoch.ts'
import { isStoreAway } from '../../store/db/store-fault.ts'
import type { EveryRow } from '../../store/monitors/kinds/monitor-row.ts'
import {
  type DeclaredRow,
  type ResourceIdentity,
  type ResultsRow,
  resultsOf,
} from '../../store/monitors/monitor-resource.ts'
import type { EventRecorder } from '../cluster/event-recorder.ts'
import { type KubeClient, KubeError, MERGE_PATCH, METADATA_ONLY } from '../cluster/kube-client.ts'
import { keyOf, partsOf } from '../cluster/kube-object.ts'
import { FINALIZER, type CustomResource, pathOf } from './custom-resource.ts'
import { type Action, decide, type RefusalReason, type Situation } from './decide.ts'
import type { OperatedKind } from './kinds.ts'
import { refusalOf, refusedRun } from './refusal.ts'
import type { ResolvedResource } from './resolve-resource.ts'
import { StatusWriter } from './status-writer.ts'

/** What a reconciler works with. */
interface ReconcilerOptions {
  readonly client: KubeClient
  /** The use cases on the store of this epoch. */
  readonly context: Pick<MonitorContext, 'store' | 'secrets' | 'wake'>
  readonly clusterId: string
  readonly kind: OperatedKind
  /** The newest known state of a resource. */
  readonly resourceOf: (key: string) => CustomResource | undefined
  /** Takes over the answer to a write, so that the next look does not see an older state. */
  readonly learn: (resource: CustomResource) => void
  readonly resolve: (resource: CustomResource) => Promise<ResolvedResource>
  /** The records that resources declare, by key; kept up to date by the reconciler. */
  readonly records: Map<string, DeclaredRow>
  readonly events: EventRecorder
  readonly serpSpacingMs: number
  /** Why the cluster starts no runner pods. Null: it does. */
  readonly noRunners: () => string | null
  /** Resources that wait to be reconciled. */
  readonly waiting: () => number
  readonly times: ReconcilerTimes
  readonly log: { warn(fields: object, text: string): void }
}

/** Durations in milliseconds. */
export interface ReconcilerTimes {
  /** Each resource and its record are compared again about this often, whatever was heard of them. */
  readonly resyncMs: number
  /** A resource that reads Secrets, or that was refused, is looked at again after this. */
  readonly secretMs: number
  /** One status in this time because of results, after the first few. */
  readonly statusMs: number
}

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

type Known = Exclude<ResolvedResource, { kind: 'later' }>

type Found = Omit<Situation, 'record' | 'resolved'> & {
  readonly record: DeclaredRow | null
  readonly resolved: Known | null
  /** It is looked at again after each of these, whatever happens. */
  readonly looksMs: readonly number[]
}

/** More resources than a person waits for one by one. */
const MANY = 100
/** Statements over many resources at once: when many wait, a transaction for each would take most of the time. */
const BATCHES = { maxItems: 100, maxWaitMs: 5, parallel: 2, isOfOne: (): boolean => false }

/** Brings records and statuses in line with the resources of one kind, one key at a time. */
export class Reconciler {
  readonly #options: ReconcilerOptions
  /** Why a resource is not there any more. */
  readonly #vanished = new Map<string, 'deleted' | 'missing'>()
  /** When each resource is compared with its record again, by `performance.now()`. */
  readonly #resyncAt = new Map<string, number>()
  /** The generation of each resource whose record is made, and whose status waits for the records of many others. */
  readonly #putOff = new Map<string, number | undefined>()
  #resyncs = 0
  #corrections = 0
  readonly #statuses: StatusWriter
  readonly #applyOne: (declaration: Declaration) => Promise<ApplyOutcome>
  readonly #resultsOf: (no: number) => Promise<ResultsRow | null>
  readonly #warningsOf: (stored: EveryRow) => Promise<readonly string[]>

  constructor(options: ReconcilerOptions) {
    this.#options = options
    const { context, kind, times } = options
    const { statusMs, resyncMs: retryUnknownMs } = times
    this.#statuses = new StatusWriter({ ...options, secrets: context.secrets, statusMs, retryUnknownMs })
    this.#applyOne = batched({
      ...BATCHES,
      call: (declarations: readonly Declaration[]) => applyResources(context, declarations),
      isOfOne: (error) => !isStoreAway(error) && !(error instanceof NotLeaderError),
    })
    const warningsOf = (all: readonly EveryRow[]) => kind.records.warnings(context.store, all, options)
    this.#warningsOf = batched({ ...BATCHES, call: warningsOf })
    this.#resultsOf = batched({
      ...BATCHES,
      call: async (all: readonly number[]) => {
        const found = await resultsOf(context.store, all)
        return all.map((no) => found.get(no) ?? null)
      },
    })
  }

  /** Comparisons of resources with their records, and how many found a difference that no event had reported. */
  get resynced(): { readonly resyncs: number; readonly corrections: number } {
    return { resyncs: this.#resyncs, corrections: this.#corrections }
  }

  /** Notes why a resource is not there any more, before its key is added to the queue. */
  noteVanished(key: string, how: 'deleted' | 'missing'): void {
    this.#vanished.set(key, how)
  }

  /** Looks at the newest state of a resource and does what it needs. */
  async work(key: string): Promise<WorkResult> {
    const resource = this.#options.resourceOf(key) ?? null
    if (this.#isPutOff(key, resource)) return { againMs: 0 }
    const found = await this.#situationOf(key, resource)
    const { resolved } = found
    const { secretMs } = this.#options.times
    const situation = { ...found, record: await this.#resync(key, found) }
    const waits = [...found.looksMs]
    for (const action of decide(situation)) {
      const wait = await this.#perform(action, key, resource, resolved)
      if (wait === 'refused') {
        waits.push(secretMs)
        break
      }
      if (wait !== undefined) waits.push(wait)
      // Of many resources at once, all records come before the statuses: a monitor runs without a status.
      if (action.kind === 'apply' && resource && this.#recordsToMake() > MANY) {
        this.#putOff.set(key, resource.metadata.generation)
        waits.push(0)
        break
      }
    }
    if (!resource) return this.#forget(key)
    waits.push(Math.max(0, (this.#resyncAt.get(key) ?? 0) - performance.now()))
    return { againMs: Math.min(...waits) }
  }

  #forget(key: string): void {
    this.#vanished.delete(key)
    this.#statuses.forget(key)
    this.#resyncAt.delete(key)
  }

  /** Returns how many resources wait that are not put off: about as many records are to be made. */
  #recordsToMake(): number {
    return this.#options.waiting() - this.#putOff.size
  }

  /**
   * Returns whether only the status of a resource is missing, and the records of many others come first. The event of
   * an own write brings a resource here again ahead of those.
   */
  #isPutOff(key: string, resource: CustomResource | null): boolean {
    const isPutOff =
      resource !== null &&
      this.#putOff.has(key) &&
      this.#putOff.get(key) === resource.metadata.generation &&
      this.#recordsToMake() > MANY
    if (!isPutOff) this.#putOff.delete(key)
    return isPutOff
  }

  /**
   * Compares the record with its resource where it is time to. Returns the record as it is known, or null when the two
   * differ, so that the resource is applied again.
   */
  async #resync(key: string, { resource, resolved, record }: Found): Promise<DeclaredRow | null> {
    const { context, times } = this.#options
    const now = performance.now()
    const at = this.#resyncAt.get(key)
    if (at !== undefined && now < at) return record
    // The first look is a fresh one. From then on the resources take turns, so that they do not come all at once.
    this.#resyncAt.set(key, now + times.resyncMs * (at === undefined ? Math.random() : 0.95 + Math.random() / 10))
    if (at === undefined || !resource || !record || resolved?.kind !== 'valid') return record
    const { teamId, spec, hash } = resolved
    const { uid, generation = 0 } = resource.metadata
    const state = { uid, generation, hash, lastRequest: record.last_request }
    const identity = this.#identityOf(key)
    const suspend = resource.spec.suspend === true
    this.#resyncs += 1
    if (await isAsDeclared(context, { teamId, resource: identity, state, spec: spec(), suspend })) return record
    this.#corrections += 1
    return null
  }

  async #situationOf(key: string, resource: CustomResource | null): Promise<Found> {
    const { secretMs } = this.#options.times
    const isLeaving = resource === null || resource.metadata.deletionTimestamp !== undefined
    const record = this.#options.records.get(key) ?? null
    const resolved = isLeaving ? null : await this.#options.resolve(resource)
    return {
      resource,
      vanished: this.#vanished.get(key) ?? null,
      isKindGoing: isLeaving && record !== null && (await this.#isKindGoing()),
      ...(resolved?.kind === 'later'
        ? { resolved: null, looksMs: [resolved.againMs] }
        : { resolved, looksMs: looksOf(resolved, secretMs) }),
      record,
    }
  }

  /** Returns whether the definition of the kind, and so all its resources, is being deleted. */
  async #isKindGoing(): Promise<boolean> {
    type Definition = { readonly metadata?: { readonly deletionTimestamp?: string } }
    const { resource } = this.#options.kind.records
    const path = `${DEFINITIONS}/${definitionName(resource)}`
    const answer = await this.#options.client.call<Definition>({ method: 'GET', path })
    // Without the right to look, a deletion counts as what it usually is. After any other answer it is tried again: a
    // record that is deleted does not come back.
    if (![200, 403, 404].includes(answer.status)) throw new KubeError(`the definition of ${resource.kind}`, answer)
    return answer.status === 404 || (answer.status === 200 && answer.body.metadata?.deletionTimestamp !== undefined)
  }

  async #perform(
    action: Action,
    key: string,
    resource: CustomResource | null,
    resolved: Known | null,
  ): Promise<number | 'refused' | undefined> {
    if (action.kind === 'delete_record' || action.kind === 'release_record') return this.#end(action.kind, key)
    if (!resource) return
    switch (action.kind) {
      case 'add_finalizer':
        return this.#setFinalizer(resource, true)
      case 'remove_finalizer':
        return this.#setFinalizer(resource, false)
      case 'refuse':
        return this.#refuse(resource, action)
      case 'apply':
        return resolved?.kind === 'valid' ? this.#apply(key, resource, resolved, action) : undefined
      case 'report':
        return this.#report(key, resource)
    }
  }

  #identityOf(key: string): ResourceIdentity {
    const { clusterId, kind } = this.#options
    return { clusterId, kind: kind.records.resource.declares, ...partsOf(key) }
  }

  async #end(how: 'delete_record' | 'release_record', key: string): Promise<undefined> {
    const { context, records, kind, log } = this.#options
    const end = { actor: SYSTEM, resource: this.#identityOf(key) }
    if (how === 'delete_record') await deleteDeclared(context, end)
    else {
      const id = records.get(key)?.monitor_id
      await releaseResource(context, end)
      log.warn(
        { resource: key, kind: kind.records.resource.kind, monitor: id },
        'the resource is gone without a deletion of its own: its monitor goes on and belongs to the API. ' +
          `"tidemark delete ${id}" deletes it; "tidemark admin list-released" lists all of these`,
      )
    }
    records.delete(key)
  }

  async #setFinalizer(resource: CustomResource, isThere: boolean): Promise<undefined> {
    const { finalizers = [], resourceVersion } = resource.metadata
    const others = finalizers.filter((one) => one !== FINALIZER)
    // The version makes the patch conditional: another controller may have changed the list.
    const body = { metadata: { resourceVersion, finalizers: isThere ? [...others, FINALIZER] : others } }
    const answer = await this.#options.client.call<CustomResource>({
      method: 'PATCH',
      path: pathOf(this.#options.kind.records.resource, resource),
      body,
      contentType: MERGE_PATCH,
      accept: METADATA_ONLY,
    })
    // A resource that is gone needs no finalizer.
    if (answer.status === 404) return
    if (answer.status >= 300) throw new KubeError('the finalizer of a resource', answer)
    this.#options.learn({ ...resource, metadata: answer.body.metadata })
  }

  async #apply(
    key: string,
    resource: CustomResource,
    resolved: Extract<Known, { kind: 'valid' }>,
    { adopts, request }: Extract<Action, { kind: 'apply' }>,
  ): Promise<'refused' | undefined> {
    const { clusterId, records, events } = this.#options
    const { uid, generation = 0 } = resource.metadata
    const { teamId, ownerId: userId, spec, hash } = resolved
    const state = { uid, generation, hash, lastRequest: request ?? records.get(key)?.last_request ?? null }
    const identity = this.#identityOf(key)
    const suspend = resource.spec.suspend === true
    const declaration = { teamId, actor: SYSTEM, userId, resource: identity, state, spec: spec(), suspend, adopts }
    const outcome = await this.#applyOne(declaration)
    if (outcome.kind !== 'applied') {
      await this.#refuse(resource, refusalOf(outcome, adopts, clusterId))
      return 'refused'
    }
    const { no, id } = outcome.monitor
    const { kind, namespace, name } = identity
    const record = { no, monitor_id: id, team_id: teamId, kind, namespace, name, uid, generation, hash }
    records.set(key, { ...record, last_request: state.lastRequest })
    const refusal = outcome.requested && refusedRun(outcome.requested)
    if (refusal) events.record(resource, { type: 'Warning', reason: 'RunRefused', action: 'Run', note: refusal })
    if (outcome.change === 'unchanged') return
    const reason = { created: 'Created', adopted: 'Adopted', updated: 'Updated' }[outcome.change]
    const note = `The monitor ${id} was ${outcome.change}.`
    events.record(resource, { type: 'Normal', reason, action: 'Apply', note })
    for (const warning of await this.#warningsOf(outcome.monitor))
      events.record(resource, {
        type: 'Warning',
        reason: warning.startsWith(THRESHOLD_PATH) ? 'NothingFires' : 'ChecksLate',
        action: 'Apply',
        note: inCamelCase(warning),
      })
  }

  async #refuse(
    resource: CustomResource,
    refusal: { readonly reason: RefusalReason; readonly message: string },
  ): Promise<undefined> {
    const { reason, message } = refusal
    const record = this.#options.records.get(keyOf(resource))
    const results = record ? () => this.#resultsOf(record.no) : null
    await this.#statuses.refuse(resource, { reason, message }, results)
  }

  async #report(key: string, resource: CustomResource): Promise<number | undefined> {
    const record = this.#options.records.get(key)
    if (!record) return
    const results = () => this.#resultsOf(record.no)
    return this.#statuses.report(key, resource, { id: record.monitor_id, results })
  }
}

/** Returns when to look at a resource again because of what it refers to: its Secrets, and what it was refused for. */
function looksOf(resolved: Known | null, secretMs: number): readonly number[] {
  if (resolved === null) return []
  if (resolved.secretsMs !== null) return [resolved.secretsMs]
  return resolved.kind === 'refused' ? [secretMs] : []
}
