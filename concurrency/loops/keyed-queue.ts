import { createBackoff, type Pauses } from './retry.ts'
import { type Rate, TokenBucket } from './token-bucket.ts'
import { Running } from './wakeable-loop.ts'

/** What the work on a key asks for: nothing more, or another look at it after this many milliseconds. */
export type WorkResult = { readonly againMs?: number } | void

interface KeyedQueueOptions {
  /** Works on one key. It reads the newest state itself: a key carries none. */
  readonly work: (key: string, stopping: AbortSignal) => Promise<WorkResult>
  /** Called with what the work throws. The key is tried again after its pause. */
  readonly onFault: (key: string, error: unknown) => void
  /** Keys that are worked on at the same time. */
  readonly workers: number
  /** The pauses of one key after faults in a row. */
  readonly faultPauses: Pauses
  /** Repeats after a fault start at most this often, over all keys: a store that is away must not be flooded. */
  readonly repeats: Rate
}

/**
 * Longest wait for a turn among the repeats, in milliseconds. Without a bound, an outage with many keys would leave a
 * debt that outlives it, and a single key that fails later would wait for minutes.
 */
const LONGEST_TURN_MS = 30_000

/**
 * A queue of keys, in the manner of client-go's work queue. A key is worked on once at a time. A key that is added
 * while it waits is not added again; one that is added during its work is worked on once more afterwards. So any
 * number of changes becomes one look at the newest state.
 */
export class KeyedQueue {
  readonly #options: KeyedQueueOptions
  readonly #stopping = new AbortController()
  readonly #running = new Running()
  readonly #urgent = new Set<string>()
  readonly #later = new Set<string>()
  /** Keys under way, and whether they were added again since. */
  readonly #underWay = new Map<string, { again: Urgency | null }>()
  readonly #delayed = new Map<string, { readonly timer: NodeJS.Timeout; readonly at: number }>()
  readonly #failing = new Map<string, ReturnType<typeof createBackoff>>()
  readonly #repeats: TokenBucket
  #isStarted = false

  constructor(options: KeyedQueueOptions) {
    this.#options = options
    this.#repeats = new TokenBucket(options.repeats)
  }

  /** Keys that wait for a worker. */
  get depth(): number {
    return this.#urgent.size + this.#later.size
  }

  /** Keys whose last work failed. */
  get failing(): number {
    return this.#failing.size
  }

  start(): void {
    this.#isStarted = true
    this.#next()
  }

  /** Adds a key. Urgent keys, which a person waits for, are taken before the others. */
  add(key: string, urgency: Urgency = 'urgent'): void {
    if (this.#stopping.signal.aborted) return
    const current = this.#underWay.get(key)
    if (current) {
      if (current.again !== 'urgent') current.again = urgency
      return
    }
    if (urgency === 'urgent') {
      this.#later.delete(key)
      this.#urgent.add(key)
    } else if (!this.#urgent.has(key)) this.#later.add(key)
    this.#next()
  }

  /** Adds a key after this many milliseconds. An earlier time that is set already stays. */
  addAfter(key: string, ms: number): void {
    if (this.#stopping.signal.aborted) return
    const at = performance.now() + ms
    const known = this.#delayed.get(key)
    if (known && known.at <= at) return
    clearTimeout(known?.timer)
    const timer = setTimeout(() => {
      this.#delayed.delete(key)
      this.add(key, 'later')
    }, ms)
    this.#delayed.set(key, { timer, at })
  }

  /** Works now on each key whose last work failed: what it failed at is over. */
  retryFailing(): void {
    for (const key of this.#failing.keys()) this.add(key, 'later')
  }

  /** Starts no more work, and resolves when the work under way has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    for (const { timer } of this.#delayed.values()) clearTimeout(timer)
    this.#delayed.clear()
    this.#urgent.clear()
    this.#later.clear()
    await this.#running.settled()
  }

  #next(): void {
    while (this.#isStarted && !this.#stopping.signal.aborted && this.#underWay.size < this.#options.workers) {
      const waiting = this.#urgent.size > 0 ? this.#urgent : this.#later
      const [key] = waiting
      if (key === undefined) return
      waiting.delete(key)
      this.#underWay.set(key, { again: null })
      this.#running.add(this.#workOn(key))
    }
  }

  async #workOn(key: string): Promise<void> {
    try {
      const result = await this.#options.work(key, this.#stopping.signal)
      this.#failing.delete(key)
      if (result?.againMs !== undefined) this.addAfter(key, result.againMs)
    } catch (error) {
      this.#options.onFault(key, error)
      const pauses = this.#failing.get(key) ?? createBackoff(this.#options.faultPauses)
      this.#failing.set(key, pauses)
      this.addAfter(key, Math.max(pauses.next(), this.#repeats.reserve(LONGEST_TURN_MS)))
    }
    const again = this.#underWay.get(key)?.again
    this.#underWay.delete(key)
    if (again) this.add(key, again)
    this.#next()
  }
}

type Urgency = 'urgent' | 'later'
