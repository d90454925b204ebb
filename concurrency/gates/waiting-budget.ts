import { Fifo } from './fifo.ts'
import { createKeyedBudget, type KeyedBudget } from './keyed-budget.ts'

type Reserved = () => void

interface Wait {
  readonly waitMs: number
  readonly signal: AbortSignal
  /** It waits however many do, because what it is part of has begun. Default false. */
  readonly isBegun?: boolean
}

interface WaitingCaps {
  readonly total: number
  readonly perKey: number
  /** Requests that wait at most, in total and of one key. */
  readonly mostWaiting: number
  readonly mostWaitingPerKey: number
}

interface Waiter {
  readonly amount: number
  /** Null: it does not wait any more. */
  admit: ((reserved: Reserved) => void) | null
}

interface Line {
  readonly waiters: Fifo<Waiter>
  /** The first of those that wait. */
  head: Waiter | undefined
  waiting: number
}

/**
 * A budget with a total for all keys and a share for each key. A request without room waits. Keys take turns; within a
 * key the order is first come, first served. Where the next one in turn needs more than the total has left, the others
 * wait behind it, so that small requests do not keep a large one from its room. An amount beyond the share of a key
 * counts as the share.
 */
export class WaitingBudget<K> {
  readonly #caps: WaitingCaps
  readonly #budget: KeyedBudget<K>
  /** Keys whose requests wait. The first one is next. */
  readonly #lines = new Map<K, Line>()
  #held = 0
  #waiting = 0
  /** The next one in turn waits for the total. */
  #isTotalAwaited = false

  constructor(caps: WaitingCaps) {
    this.#caps = caps
    this.#budget = createKeyedBudget<K>(caps)
  }

  /** What is reserved. */
  get held(): number {
    return this.#held
  }

  /** Requests that wait. */
  get waiting(): number {
    return this.#waiting
  }

  /** Reserves the amount. Returns a function that gives it back, to be called once; null: it has to wait. */
  tryTake(key: K, amount: number): Reserved | null {
    if (this.#isTotalAwaited || this.#lines.has(key)) return null
    const reserved = this.#reserve(key, this.#countedAs(amount))
    return typeof reserved === 'function' ? reserved : null
  }

  /**
   * As above, and waits. Resolves with `full` at once when too many wait, with `late` when the wait took longer than
   * `waitMs`, and with `left` when the signal ended it.
   */
  async take(key: K, amount: number, wait: Wait): Promise<Reserved | 'full' | 'late' | 'left'> {
    if (wait.signal.aborted) return 'left'
    const reserved = this.tryTake(key, amount)
    if (reserved) return reserved
    const { mostWaiting, mostWaitingPerKey } = this.#caps
    const line = this.#lines.get(key) ?? { waiters: new Fifo<Waiter>(), head: undefined, waiting: 0 }
    if (!wait.isBegun && (this.#waiting >= mostWaiting || line.waiting >= mostWaitingPerKey)) return 'full'
    this.#lines.set(key, line)
    return this.#waitIn(line, this.#countedAs(amount), wait)
  }

  #waitIn(line: Line, amount: number, { waitMs, signal }: Wait): Promise<Reserved | 'late' | 'left'> {
    const { promise, resolve } = Promise.withResolvers<Reserved | 'late' | 'left'>()
    const settle = (outcome: Reserved | 'late' | 'left') => {
      signal.removeEventListener('abort', leave)
      clearTimeout(timer)
      waiter.admit = null
      this.#waiting--
      line.waiting--
      resolve(outcome)
      // Another one may fit where this one did not.
      if (typeof outcome === 'string') this.#pump()
    }
    const leave = () => settle('left')
    const timer = setTimeout(() => settle('late'), waitMs)
    const waiter: Waiter = { amount, admit: settle }
    signal.addEventListener('abort', leave, { once: true })
    line.waiters.push(waiter)
    line.waiting++
    this.#waiting++
    this.#pump()
    return promise
  }

  #countedAs(amount: number): number {
    return Math.min(amount, this.#caps.perKey, this.#caps.total)
  }

  #reserve(key: K, amount: number): Reserved | 'key' | 'total' {
    const giveBack = this.#budget.take(key, amount)
    if (typeof giveBack === 'string') return giveBack
    this.#held += amount
    return () => {
      this.#held -= amount
      giveBack()
      this.#pump()
    }
  }

  #pump(): void {
    this.#isTotalAwaited = false
    let next = this.#nextInTurn()
    while (next) {
      next.line.head = undefined
      next.admit(next.reserved)
      // The next turn of this key is after those of all others.
      this.#lines.delete(next.key)
      this.#lines.set(next.key, next.line)
      next = this.#nextInTurn()
    }
  }

  #nextInTurn() {
    for (const [key, line] of this.#lines) {
      const waiter = headOf(line)
      if (!waiter?.admit) {
        this.#lines.delete(key)
        continue
      }
      const reserved = this.#reserve(key, waiter.amount)
      if (typeof reserved === 'function') return { key, line, reserved, admit: waiter.admit }
      if (reserved === 'key') continue
      this.#isTotalAwaited = true
      return null
    }
    return null
  }
}

/** Returns the first request of a line that waits still. */
function headOf(line: Line): Waiter | undefined {
  while (!line.head?.admit) {
    line.head = line.waiters.shift()
    if (line.head === undefined) return undefined
  }
  return line.head
}
