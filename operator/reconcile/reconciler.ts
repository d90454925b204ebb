import { batched } from '../../concurrency/batches/batched.ts'
import type { WorkResult } from '../../concurrency/loops/keyed-queue.ts'
import { inCamelCase } from '../../core/custom-resource/property-words.ts'
import { THRESHOLD_PATH } from '../../monitors/check/threshold-warning.ts'
import { applyResources, isAsDeclared } from '../../monitors/declared/apply-resource.ts'
import type { ApplyOutcome, Declaration } from '../../monitors/declared/declaration.ts'
import { deleteDeclared, releaseResource } from '../../monitors/declared/end-declared.ts'
import { SYSTEM } from '../../schema/account/audit.ts'
import { NotLeaderError } from '../../store/db/operator-epoch.ts'
import { isStoreAway } from '../../store/db/store-fault.ts'
import type { EveryRow } from '../../store/monitors/kinds/monitor-row.ts'
import { type DeclaredRow, type ResourceIdentity } from '../../store/monitors/monitor-resource.ts'
import { type ResultsRow, resultsOf } from '../../store/monitors/monitor-results.ts'
import { keyOf, partsOf } from '../cluster/kube-object.ts'
import type { OperatorContext } from '../operator-context.ts'
import type { CustomResource } from './custom-resource.ts'
import { type Action, decide, type RefusalReason, type Situation } from './decide.ts'
import { isKindGoing } from './is-kind-going.ts'
import type { OperatedKind } from './kinds.ts'
import { PutOff } from './put-off.ts'
import { refusalOf, refusedRun } from './refusal.ts'
import type { ResolvedResource } from './resolve-resource.ts'
import { setFinalizer } from './set-finalizer.ts'
import { type KnownResources, StatusWriter } from './status-writer.ts'

/** The resources of one kind and their records. */
interface ReconciledKind {
  readonly kind: OperatedKind
  readonly resources: KnownResources
  /** The records that resources declare, by key; kept up to date by the reconciler. */
  readonly records: Map<string, DeclaredRow>
  /** Resources that wait to be reconciled. */
  readonly waiting: () => number
}

type Known = Exclude<ResolvedResource, { kind: 'later' }>

type Found = Omit<Situation, 'record' | 'resolved'> & {
  readonly record: DeclaredRow | null
  readonly resolved: Known | null
  /** It is looked at again after each of these, whatever happens. */
  readonly looksMs: readonly number[]
}

/** Statements over many resources at once: when many wait, a transaction for each would take most of the time. */
const BATCHES = { maxItems: 100, maxWaitMs: 5, parallel: 2, isOfOne: (): boolean => false }

/** Brings records and statuses in line with the resources of one kind, one key at a time. */
export class Reconciler {
  readonly #context: OperatorContext
  readonly #of: ReconciledKind
  /** Why a resource is not there any more. */
  readonly #vanished = new Map<string, 'deleted' | 'missing'>()
  /** When each resource is compared with its record again, by `performance.now()`. */
  readonly #resyncAt = new Map<string, number>()
  readonly #putOff: PutOff
  #resyncs = 0
  #corrections = 0
  readonly #statuses: StatusWriter
  readonly #applyOne: (declaration: Declaration) => Promise<ApplyOutcome>
  readonly #resultsOf: (no: number) => Promise<ResultsRow | null>
  readonly #warningsOf: (stored: EveryRow) => Promise<readonly string[]>

  constructor(context: OperatorContext, of: ReconciledKind) {
    this.#context = context
    this.#of = of
    this.#putOff = new PutOff(of.waiting)
    const { useCases } = context
    const { kind, resources } = of
    this.#statuses = new StatusWriter(context, kind, resources)
    this.#applyOne = batched({
      ...BATCHES,
      call: (declarations: readonly Declaration[]) => applyResources(useCases, declarations),
      isOfOne: (error) => !isStoreAway(error) && !(error instanceof NotLeaderError),
    })
    const warningsOf = (all: readonly EveryRow[]) => kind.records.warnings(useCases.store, all, context)
    this.#warningsOf = batched({ ...BATCHES, call: warningsOf })
    this.#resultsOf = batched({
      ...BATCHES,
      call: async (all: readonly number[]) => {
        const found = await resultsOf(useCases.store, kind.records.table, all)
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
    const resource = this.#of.resources.get(key) ?? null
    if (this.#putOff.has(key, resource)) return { againMs: 0 }
    const found = await this.#situationOf(key, resource)
    const { resolved } = found
    const { secretMs } = this.#context.times
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
      if (action.kind === 'apply' && resource && this.#putOff.isAsked()) {
        this.#putOff.add(key, resource)
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

  /**
   * Compares the record with its resource where it is time to. Returns the record as it is known, or null when the two
   * differ, so that the resource is applied again.
   */
  async #resync(key: string, { resource, resolved, record }: Found): Promise<DeclaredRow | null> {
    const { useCases, times } = this.#context
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
    if (await isAsDeclared(useCases, { teamId, resource: identity, state, spec: spec(), suspend })) return record
    this.#corrections += 1
    return null
  }

  async #situationOf(key: string, resource: CustomResource | null): Promise<Found> {
    const { secretMs } = this.#context.times
    const isLeaving = resource === null || resource.metadata.deletionTimestamp !== undefined
    const record = this.#of.records.get(key) ?? null
    const resolved = isLeaving ? null : await this.#context.resolve(this.#of.kind.records, resource)
    return {
      resource,
      vanished: this.#vanished.get(key) ?? null,
      isKindGoing:
        isLeaving && record !== null && (await isKindGoing(this.#context.client, this.#of.kind.records.resource)),
      ...(resolved?.kind === 'later'
        ? { resolved: null, looksMs: [resolved.againMs] }
        : { resolved, looksMs: looksOf(resolved, secretMs) }),
      record,
    }
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
        return this.#finalize(resource, true)
      case 'remove_finalizer':
        return this.#finalize(resource, false)
      case 'refuse':
        return this.#refuse(resource, action)
      case 'apply':
        return resolved?.kind === 'valid' ? this.#apply(key, resource, resolved, action) : undefined
      case 'report':
        return this.#report(key, resource)
    }
  }

  #identityOf(key: string): ResourceIdentity {
    const { clusterId } = this.#context
    return { clusterId, kind: this.#of.kind.records.resource.declares, ...partsOf(key) }
  }

  async #end(how: 'delete_record' | 'release_record', key: string): Promise<undefined> {
    const { useCases, log } = this.#context
    const { records, kind } = this.#of
    const end = { actor: SYSTEM, resource: this.#identityOf(key) }
    if (how === 'delete_record') await deleteDeclared(useCases, end)
    else {
      const id = records.get(key)?.monitor_id
      await releaseResource(useCases, end)
      log.warn(
        { resource: key, kind: kind.records.resource.kind, monitor: id },
        'the resource is gone without a deletion of its own: its monitor goes on and belongs to the API. ' +
          `"tidemark delete ${id}" deletes it; "tidemark admin list-released" lists all of these`,
      )
    }
    records.delete(key)
  }

  async #finalize(resource: CustomResource, isThere: boolean): Promise<undefined> {
    const { kind, resources } = this.#of
    const changed = await setFinalizer(this.#context.client, kind.records.resource, resource, isThere)
    if (changed) resources.learn(changed)
  }

  async #apply(
    key: string,
    resource: CustomResource,
    resolved: Extract<Known, { kind: 'valid' }>,
    { adopts, request }: Extract<Action, { kind: 'apply' }>,
  ): Promise<'refused' | undefined> {
    const { clusterId, events } = this.#context
    const { records } = this.#of
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
    const record = this.#of.records.get(keyOf(resource))
    const results = record ? () => this.#resultsOf(record.no) : null
    await this.#statuses.refuse(resource, { reason, message }, results)
  }

  async #report(key: string, resource: CustomResource): Promise<number | undefined> {
    const record = this.#of.records.get(key)
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
