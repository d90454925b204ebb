import { LRUCache } from 'lru-cache'
import { createHash } from 'node:crypto'
import { StringDecoder } from 'node:string_decoder'
import { sleep } from '../../concurrency/loops/sleep.ts'
import { TokenBucket } from '../../concurrency/loops/token-bucket.ts'
import { type KubeClient, MERGE_PATCH } from './kube-client.ts'
import { type KubeObject, microTime } from './kube-object.ts'

/** Something that happened to a resource, for `kubectl describe`. */
export interface Happening {
  readonly type: 'Normal' | 'Warning'
  /** One word in CamelCase. */
  readonly reason: string
  /** What the operator did: one word in CamelCase. */
  readonly action: string
  /** For people. What is beyond 1,024 bytes is cut. */
  readonly note: string
}

interface EventRecorderOptions {
  readonly client: KubeClient
  /** The name of the process. */
  readonly instance: string
  readonly log: { warn(fields: object, text: string): void }
}

/** In bytes, as the API server counts them. */
const MAX_NOTE = 1_024
/** Events a second over all resources, and how many may come at once. */
const PACE = { perSecond: 10, burst: 50 }
/** Events that wait for that. A destination of many monitors that fails is an Event of each of them. */
const MAX_WAITING = 2_000
/** The API server keeps an Event for an hour after it was last written. */
const KEPT_MS = 3_600_000

interface Known {
  readonly name: string
  count: number
}

/**
 * Writes Events (events.k8s.io/v1). The same event about the same resource is written once, with a count, so a resource
 * that fails for a day has one Event and not thousands. Each process counts for itself, as with the recorder of
 * client-go: after a change of the leader the same event is a new Event of another instance. An Event is advice: one
 * that cannot be written is logged and dropped.
 */
export class EventRecorder {
  readonly #options: EventRecorderOptions
  readonly #known = new LRUCache<string, Known>({ max: 10_000, ttl: KEPT_MS, updateAgeOnGet: true })
  #writing: Promise<unknown> = Promise.resolve()
  readonly #pace = new TokenBucket(PACE)
  #dropped = 0
  #waiting = 0
  readonly #stopping = new AbortController()

  constructor(options: EventRecorderOptions) {
    this.#options = options
  }

  /** Events that were dropped because too many came at once. */
  get dropped(): number {
    return this.#dropped
  }

  record(about: KubeObject, happening: Happening): void {
    if (this.#waiting >= MAX_WAITING) {
      this.#dropped += 1
      return
    }
    this.#waiting += 1
    // One after the other, so that a repeated event finds the first one.
    this.#writing = this.#writing
      .then(() => this.#writeInTurn(about, happening))
      .catch((err: unknown) => this.#options.log.warn({ err }, 'an Event could not be written'))
      .finally(() => (this.#waiting -= 1))
  }

  /** Writes what may be written at once. The rest is dropped. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#writing
  }

  async #writeInTurn(about: KubeObject, happening: Happening): Promise<void> {
    const waitMs = this.#pace.reserve()
    await sleep(waitMs, this.#stopping.signal)
    if (waitMs > 0 && this.#stopping.signal.aborted) this.#dropped += 1
    else await this.#write(about, happening)
  }

  async #write(about: KubeObject, happening: Happening): Promise<void> {
    const { client, log } = this.#options
    const { metadata } = about
    const namespace = metadata.namespace ?? 'default'
    const collection = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`
    const key = JSON.stringify([metadata.uid, happening.type, happening.reason, happening.note])
    const now = microTime(new Date())
    const again = this.#known.get(key)
    if (again) {
      again.count += 1
      const body = { series: { count: again.count, lastObservedTime: now } }
      const path = `${collection}/${again.name}`
      const answer = await client.call({ method: 'PATCH', path, body, contentType: MERGE_PATCH })
      if (answer.status < 300) return
    }
    const digits = createHash('sha256')
      .update(key + now)
      .digest('hex')
    // No part of a name ends with a hyphen or a dot, wherever it is cut.
    const name = `${metadata.name.slice(0, 200).replace(/[-.]+$/, '')}.${digits.slice(0, 16)}`
    this.#known.set(key, { name, count: 1 })
    const body = { ...this.#event(about, happening), metadata: { name, namespace }, eventTime: now }
    const answer = await client.call({ method: 'POST', path: collection, body })
    if (answer.status >= 300) log.warn({ status: answer.status, reason: answer.body.reason }, 'an Event was refused')
  }

  #event({ apiVersion, kind, metadata }: KubeObject, happening: Happening) {
    const { namespace, name, uid, resourceVersion } = metadata
    return {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      reportingController: 'tidemark.dev/operator',
      reportingInstance: this.#options.instance.slice(0, 128),
      ...happening,
      note: new StringDecoder('utf8').write(Buffer.from(happening.note).subarray(0, MAX_NOTE)),
      regarding: { apiVersion, kind, namespace, name, uid, resourceVersion },
    }
  }
}
