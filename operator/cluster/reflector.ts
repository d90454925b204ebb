import { isDeepStrictEqual } from 'node:util'
import { createBackoff } from '../../concurrency/loops/retry.ts'
import { sleep } from '../../concurrency/loops/sleep.ts'
import { isOlder } from './is-older.ts'
import { type KubeAnswer, KubeError } from './kube-client.ts'
import { keyOf, type KubeObject, type KubeStatus } from './kube-object.ts'
import { type ReflectorOptions, type ReflectorTimes, TIMES } from './reflector-options.ts'
import { linesOf, refusalOf } from './watch-stream.ts'

const PAGE = 500
/** The clocks of both sides differ by less. */
const ENDS_EARLY_MS = 1_000

/** Figures about a reflector, for metrics. */
interface ReflectorState {
  readonly size: number
  readonly lists: number
  readonly watches: number
  readonly stalls: number
  /** Milliseconds since the last event or bookmark. */
  readonly quietMs: number
  /** The API server does not know the kind: its definition is not installed, or was deleted. */
  readonly isUnknown: boolean
}

const NOT_INSTALLED =
  'the API server does not know this kind, so its resources are not seen: install its definition with ' +
  'kubectl apply --server-side -f crds/, or by helm upgrade'

/**
 * Keeps a copy of a collection of the API server: it lists in pages, watches from there, and lists again when the
 * version is too old (410). Nothing ends it: after a 429, a 5xx, a reset, a half event or a silent connection it goes
 * on, with a pause.
 */
export class Reflector<T extends KubeObject> {
  /** Resolves after the first complete list. */
  readonly synced: Promise<void>
  /** Resolves after the first complete list, or when the API server says that it does not know the kind. */
  readonly looked: Promise<void>
  readonly #options: ReflectorOptions<T>
  readonly #times: ReflectorTimes
  readonly #isSynced: () => void
  readonly #hasLooked: () => void
  readonly #stopping = new AbortController()
  readonly #objects = new Map<string, T>()
  readonly #pauses: ReturnType<typeof createBackoff>
  readonly #state = { lists: 0, watches: 0, stalls: 0, heardAt: performance.now(), isUnknown: false }
  /** The version that the next watch starts from. Null: a list is needed. */
  #version: string | null = null
  #listedAt = 0
  #listAgainAt = 0
  #isInterrupted = false
  #ended: Promise<void> = Promise.resolve()

  constructor(options: ReflectorOptions<T>) {
    this.#options = options
    this.#times = { ...TIMES, ...options.times }
    this.#pauses = createBackoff({ firstMs: this.#times.firstPauseMs, longestMs: this.#times.longestPauseMs })
    const [synced, looked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    this.synced = synced.promise
    this.#isSynced = synced.resolve
    this.looked = looked.promise
    this.#hasLooked = looked.resolve
  }

  get(key: string): T | undefined {
    return this.#objects.get(key)
  }

  all(): IterableIterator<T> {
    return this.#objects.values()
  }

  /** Takes over the answer to a write, unless something newer is known. `onChange` is not called. */
  learn(object: T): void {
    const key = keyOf(object)
    const before = this.#objects.get(key)
    if (before && !isOlder(object.metadata.resourceVersion, before.metadata.resourceVersion))
      this.#objects.set(key, this.#kept(object))
  }

  state(): ReflectorState {
    const { lists, watches, stalls, heardAt, isUnknown } = this.#state
    return { size: this.#objects.size, lists, watches, stalls, quietMs: performance.now() - heardAt, isUnknown }
  }

  start(): void {
    this.#ended = this.#run()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#ended
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const began = performance.now()
      let wait = 0
      try {
        if (performance.now() > this.#listAgainAt) this.#version = null
        this.#version ??= await this.#list()
        await this.#watch(this.#version)
      } catch (error) {
        if (this.#stopping.signal.aborted) return
        wait = this.#pauseAfter(error)
      }
      const lived = performance.now() - began
      if (lived > this.#times.healthyMs) this.#pauses.reset()
      // A server that ends each watch at once must not be asked in a loop.
      else if (wait === 0 && lived < this.#times.firstPauseMs) wait = this.#pauses.next()
      if (wait > 0) await sleep(wait * (0.5 + Math.random()), this.#stopping.signal)
    }
  }

  #pauseAfter(error: unknown): number {
    const { path, log } = this.#options
    const status = error instanceof KubeError ? error.status : 0
    if (status === 410 || status === 404) this.#version = null
    if (status === 410) return 0
    this.#isInterrupted = true
    if (status !== 404) log.warn({ err: error, path }, 'a watch of the API server was interrupted')
    else if (!this.#state.isUnknown) {
      this.#state.isUnknown = true
      this.#hasLooked()
      log.warn({ path }, NOT_INSTALLED)
    }
    return Math.max(this.#pauses.next(), (error instanceof KubeError && error.retryAfterMs) || 0)
  }

  async #list(): Promise<string> {
    const { client, path, labelSelector, log } = this.#options
    const found = new Map<string, T>()
    let token = ''
    let from = ''
    do {
      const query = new URLSearchParams({
        limit: String(PAGE),
        ...(token !== '' && { continue: token }),
        ...(labelSelector !== undefined && { labelSelector }),
      })
      const answer: KubeAnswer<KubeList<T>> = await client.call({
        method: 'GET',
        path: `${path}?${query.toString()}`,
        signal: this.#stopping.signal,
      })
      if (answer.status !== 200) throw new KubeError(`the list of ${path}`, answer)
      for (const object of answer.body.items ?? []) found.set(keyOf(object), this.#kept(object))
      token = answer.body.metadata?.continue ?? ''
      from = answer.body.metadata?.resourceVersion ?? ''
    } while (token !== '')
    this.#state.lists += 1
    this.#listedAt = performance.now()
    this.#listAgainAt = this.#listedAt + this.#times.listMs * (1 + Math.random())
    this.#state.heardAt = this.#listedAt
    if (this.#state.isUnknown) log.info({ path }, 'the API server knows this kind')
    this.#state.isUnknown = false
    this.#replace(found)
    this.#isSynced()
    this.#hasLooked()
    return from
  }

  #replace(found: ReadonlyMap<string, T>): void {
    for (const [key, before] of this.#objects)
      if (!found.has(key)) {
        this.#objects.delete(key)
        this.#options.onChange(key, { before, now: undefined, how: 'missing' })
      }
    for (const [key, object] of found) {
      const before = this.#objects.get(key)
      const isSameVersion = before?.metadata.resourceVersion === object.metadata.resourceVersion
      this.#set(key, object)
      // One version looks different under another definition of its kind.
      if (isSameVersion && !isDeepStrictEqual(before, object))
        this.#options.onChange(key, { before, now: object, how: 'set' })
    }
  }

  #set(key: string, now: T): void {
    const before = this.#objects.get(key)
    if (before && isOlder(now.metadata.resourceVersion, before.metadata.resourceVersion)) return
    this.#objects.set(key, now)
    if (before?.metadata.resourceVersion !== now.metadata.resourceVersion)
      this.#options.onChange(key, { before, now, how: 'set' })
  }

  #remove(key: string, last: T): void {
    const before = this.#objects.get(key)
    const isAnother = before && before.metadata.uid !== last.metadata.uid
    // A late event about an object that was deleted and created again since.
    if (isAnother && isOlder(last.metadata.resourceVersion, before.metadata.resourceVersion)) return
    this.#objects.delete(key)
    this.#options.onChange(key, { before: before ?? last, now: undefined, how: 'deleted' })
  }

  async #watch(from: string): Promise<void> {
    const { client, path, labelSelector } = this.#options
    const { quietMs, watchMs, listAfterEndMs } = this.#times
    const seconds = Math.max(1, Math.round((watchMs * (1 + Math.random())) / 1_000))
    const endsAt = performance.now() + seconds * 1_000
    this.#state.watches += 1
    const quiet = new AbortController()
    const timer = setTimeout(() => {
      this.#state.stalls += 1
      quiet.abort(new Error(`no byte came for ${quietMs} ms`))
    }, quietMs)
    try {
      const query = new URLSearchParams({
        watch: 'true',
        allowWatchBookmarks: 'true',
        resourceVersion: from,
        timeoutSeconds: String(seconds),
        ...(labelSelector !== undefined && { labelSelector }),
      })
      const signal = AbortSignal.any([this.#stopping.signal, quiet.signal])
      const response = await client.stream(`${path}?${query.toString()}`, signal)
      if (response.statusCode !== 200) throw new KubeError(`the watch of ${path}`, await refusalOf(response))
      if (this.#isInterrupted) this.#options.onBack?.()
      this.#isInterrupted = false
      for await (const line of linesOf(response, () => void timer.refresh()))
        this.#take(JSON.parse(line) as WatchEvent<T>)
      if (performance.now() < endsAt - ENDS_EARLY_MS)
        this.#listAgainAt = Math.min(this.#listAgainAt, this.#listedAt + listAfterEndMs)
    } finally {
      clearTimeout(timer)
    }
  }

  #take({ type, object }: WatchEvent<T>): void {
    this.#state.heardAt = performance.now()
    if (type === 'ERROR') {
      const status = object as KubeStatus
      const answer = { status: status.code ?? 500, body: status, retryAfterMs: null }
      throw new KubeError(`the watch of ${this.#options.path}`, answer)
    }
    const event = object as T
    if (type === 'ADDED' || type === 'MODIFIED') this.#set(keyOf(event), this.#kept(event))
    else if (type === 'DELETED') this.#remove(keyOf(event), this.#kept(event))
    const { resourceVersion } = event.metadata
    if (this.#version === null || !isOlder(resourceVersion, this.#version)) this.#version = resourceVersion
  }

  #kept(object: T): T {
    return Object.freeze(this.#options.strip(object))
  }
}

interface KubeList<T> {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string }
  readonly items?: readonly T[]
}

interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'
  readonly object: T | KubeStatus
}
