import type { ResultsRow } from '../../store/monitors/monitor-results.ts'
import { type KubeAnswer, JSON_PATCH, KubeError } from '../cluster/kube-client.ts'
import { keyOf } from '../cluster/kube-object.ts'
import type { Reflector } from '../cluster/reflector.ts'
import type { OperatorContext } from '../operator-context.ts'
import { type CustomResource, type ResourceStatus, pathOf, requestOf } from './custom-resource.ts'
import type { RefusalReason } from './decide.ts'
import { failedDestinations } from './failed-destinations.ts'
import type { OperatedKind } from './kinds.ts'
import { happeningsBetween } from './status-events.ts'
import { type Acceptance, isNews, type Running, statusOf, statusPatch } from './status.ts'

/** The newest known states of the resources of one kind. */
export type KnownResources = Pick<Reflector<CustomResource>, 'get' | 'learn'>

/** A record whose results are reported. */
interface Reported {
  readonly id: string
  readonly results: () => Promise<ResultsRow | null>
}

/** Statuses that results may cause at once. */
const STATUS_BURST = 3

/** Writes the statuses of the resources of one kind, and no more of them than somebody needs. */
export class StatusWriter {
  readonly #context: OperatorContext
  readonly #kind: OperatedKind
  readonly #resources: KnownResources
  /** The earliest time of the next status because of results, as if each took its minute, by `performance.now()`. */
  readonly #pacedUntil = new Map<string, number>()
  /**
   * Parts of a status that the definition in the cluster does not have, so that the API server drops them, and when
   * they are tried again, by `performance.now()`: the definition may be updated.
   */
  readonly #unknown = new Map<string, number>()
  /**
   * The statuses before writes of which nobody knows whether they happened. What such a write changed is told when that
   * is seen.
   */
  readonly #unsure = new Map<string, ResourceStatus | undefined>()

  constructor(context: OperatorContext, kind: OperatedKind, resources: KnownResources) {
    this.#context = context
    this.#kind = kind
    this.#resources = resources
  }

  /**
   * Writes the status of a resource that has a record. Returns for how many milliseconds it waits, if it does, because
   * its results were written a moment ago.
   */
  async report(key: string, resource: CustomResource, { id, results }: Reported): Promise<number | undefined> {
    const { statusMs } = this.#context.times
    const now = performance.now()
    const paced = Math.max(now, this.#pacedUntil.get(key) ?? now)
    const waitMs = paced - now - (STATUS_BURST - 1) * statusMs
    // What a person just changed is answered at once; what checks found waits its minute.
    if (waitMs > 0 && !isUnanswered(resource)) return waitMs
    const isChanged = await this.write(resource, {
      kind: 'accepted',
      id,
      running: await this.#running(resource, results),
    })
    if (isChanged && !isUnanswered(resource)) this.#pacedUntil.set(key, paced + statusMs)
    return
  }

  /**
   * Writes that a resource is refused, and what the checks of its record find, if it has one. Returns whether the
   * resource changed.
   */
  async refuse(
    resource: CustomResource,
    refusal: { readonly reason: RefusalReason; readonly message: string },
    results: Reported['results'] | null,
  ): Promise<boolean> {
    const running = results && (await this.#running(resource, results))
    return this.write(resource, { kind: 'refused', ...refusal, running })
  }

  async #running(resource: CustomResource, results: Reported['results']): Promise<Running> {
    const found = await results()
    return { results: found, failed: found === null ? [] : failedDestinations(resource, found, this.#context.secrets) }
  }

  /** The resource is gone. */
  forget(key: string): void {
    this.#noteDelivering(key, undefined)
    this.#pacedUntil.delete(key)
    this.#unsure.delete(key)
  }

  /**
   * Writes the status if it says anything new. Returns whether the resource changed: a write of which the API server
   * dropped everything is none.
   */
  async write(judged: CustomResource, acceptance: Acceptance): Promise<boolean> {
    // The finalizer may have been added since. A resource that changed otherwise is in the queue again.
    const resource = this.#resources.get(keyOf(judged)) ?? judged
    if (!isSameQuestion(resource, judged)) return false
    const noRunners = this.#context.runnerRefusal.why
    const judgement = acceptance.kind === 'accepted' ? { ...acceptance, noRunners } : acceptance
    const whole = statusOf(this.#kind, resource, judgement, new Date())
    const status = this.#withoutUnknown(whole)
    if (!isNews(resource.status, status)) {
      if (this.#unsure.has(keyOf(resource))) this.#tell(resource, resource.status)
      return false
    }
    const answer = await this.#patch(resource, status)
    if (answer.status === 404) return false
    if (answer.status >= 300) throw new KubeError('the status of a resource', answer)
    this.#resources.learn(answer.body)
    this.#noteDelivering(keyOf(resource), answer.body.status)
    this.#noteUnknown(status, answer.body.status ?? {})
    this.#tell(resource, answer.body.status)
    return answer.body.metadata.resourceVersion !== resource.metadata.resourceVersion
  }

  async #patch(resource: CustomResource, status: ResourceStatus): Promise<KubeAnswer<CustomResource>> {
    const key = keyOf(resource)
    const wasUnsure = this.#unsure.has(key)
    if (!wasUnsure) this.#unsure.set(key, resource.status)
    const answer = await this.#context.client.call<CustomResource>({
      method: 'PATCH',
      path: `${pathOf(this.#kind.records.resource, resource)}/status`,
      // The version makes the patch conditional. The epoch fences the store alone: a former leader that wakes with a
      // status of an older generation must not replace a newer one.
      body: statusPatch(resource.metadata.resourceVersion, status),
      contentType: JSON_PATCH,
    })
    const isRefused = answer.status >= 400 && answer.status < 500
    if (isRefused && !wasUnsure) this.#unsure.delete(key)
    return answer
  }

  #noteDelivering(key: string, status: ResourceStatus | undefined): void {
    const { notDelivering } = this.#context
    const kind = this.#kind.records.resource.declares
    const isGivenUp = status?.conditions?.some(({ type, status: is }) => type === 'Delivering' && is === 'False')
    if (isGivenUp) notDelivering.set(`${kind} ${key}`, { kind, key })
    else notDelivering.delete(`${kind} ${key}`)
  }

  /** Writes Events of what a write changed. */
  #tell(resource: CustomResource, now: ResourceStatus = {}): void {
    const key = keyOf(resource)
    const happenings = happeningsBetween(this.#unsure.get(key), now)
    this.#unsure.delete(key)
    for (const happening of happenings) this.#context.events.record(resource, happening)
  }

  #withoutUnknown(status: ResourceStatus): ResourceStatus {
    const now = performance.now()
    const isKnown = (part: string) => (this.#unknown.get(part) ?? 0) <= now
    const known: ResourceStatus = Object.fromEntries(Object.entries(status).filter(([key]) => isKnown(key)))
    const { values } = known
    return values && !isKnown(NULLS) ? { ...known, values: withoutNulls(values) } : known
  }

  #noteUnknown(sent: ResourceStatus, kept: ResourceStatus): void {
    const parts = partsOf(sent)
    const keptParts = new Set(partsOf(kept))
    const dropped = parts.filter((part) => !keptParts.has(part))
    const isNew = dropped.some((part) => !this.#unknown.has(part))
    for (const part of parts) this.#unknown.delete(part)
    for (const key of dropped) this.#unknown.set(key, performance.now() + this.#context.times.resyncMs)
    if (!isNew) return
    this.#context.log.warn(
      { dropped, kind: this.#kind.records.resource.kind },
      'the definition in the cluster is older than this operator: kubectl apply --server-side -f crds/',
    )
  }
}

/** Stands for the values that are null, which a definition of an earlier version drops. */
const NULLS = 'values that are null'

const partsOf = (status: ResourceStatus): readonly string[] => [
  ...Object.keys(status),
  ...(Object.values(status.values ?? {}).includes(null) ? [NULLS] : []),
]

const withoutNulls = (values: NonNullable<ResourceStatus['values']>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))

/** Returns whether nothing changed that a status answers to. An annotation does not raise the generation. */
const isSameQuestion = (one: CustomResource, other: CustomResource): boolean =>
  one.metadata.uid === other.metadata.uid &&
  one.metadata.generation === other.metadata.generation &&
  requestOf(one) === requestOf(other)

/** Returns whether the status does not answer yet what a person changed or asked for. */
function isUnanswered(resource: CustomResource): boolean {
  const { metadata, status } = resource
  if (status?.observedGeneration !== metadata.generation) return true
  // It was refused until now, and somebody has put that right.
  if (!status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True')) return true
  const request = requestOf(resource)
  return request !== null && status?.lastHandledRequest !== request
}
