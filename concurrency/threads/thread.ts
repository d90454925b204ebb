import { createKeyedBudget, type KeyedBudget } from '../gates/keyed-budget.ts'
import { Slots } from '../gates/slots.ts'
import { Running } from '../loops/wakeable-loop.ts'
import { createPool, type PoolOptions } from './pool.ts'

/** Who asks. Keys take turns: mostly, the key is a team's. */
export interface Whose {
  readonly key: string
  /** Ends the wait, and the task. */
  readonly signal?: AbortSignal | undefined
}

interface ThreadOptions<Task> extends Omit<PoolOptions, 'threads' | 'nice'> {
  /** A task that takes no time. It starts the thread, so that the start does not count as the time of a task. */
  readonly warmUp?: Task
  /** The most tasks that run or wait: of one key, and of all. Default: any number. */
  readonly perKey?: number
  readonly total?: number
}

interface Ask extends Whose {
  /** The time of the task, without its wait. */
  readonly timeoutMs: number
  /** The function to call, where the thread has several. */
  readonly name?: string
  /** Asked when the turn of the task has come. */
  readonly isNeeded?: () => boolean
}

/**
 * The result of a task. `timeout`, `memory`: its thread was killed. `stopped`: nobody waits for it, or the thread was
 * closed. `crowded`, `busy`: as many of its key, or of all, run or wait as may. `unneeded`: `isNeeded` said so.
 */
type Done<Result> =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly why: 'timeout' | 'memory' | 'stopped' | 'crowded' | 'busy' | 'unneeded' }

/** A thread that can be killed. It does one task at a time, so that the time of a task starts when it runs. */
export class Thread<Task, Result> {
  readonly #pool: ReturnType<typeof createPool<Task, Result>>
  readonly #turns = new Slots({ total: 1 })
  readonly #room: KeyedBudget<string>
  readonly #running = new Running()
  readonly #warmUp: Task | undefined
  #waiting = 0
  #isClosed = false

  /** Creates it. The thread starts when it is first needed. */
  constructor({ warmUp, perKey = Infinity, total = Infinity, ...pool }: ThreadOptions<Task>) {
    this.#pool = createPool<Task, Result>(pool)
    this.#room = createKeyedBudget<string>({ total, perKey })
    this.#warmUp = warmUp
  }

  /** How many tasks run or wait. */
  get waiting(): number {
    return this.#waiting
  }

  /** Does a task in its turn. Rejects with what the task throws. */
  do(task: Task, ask: Ask): Promise<Done<Result>> {
    const done = this.#inTurn(task, ask)
    this.#running.add(done)
    return done
  }

  /** Resolves when no task runs or waits any more. */
  settled(): Promise<void> {
    return this.#running.settled()
  }

  /** Ends the thread. What runs or waits has `stopped`. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#pool.destroy()
    await this.settled()
  }

  async #inTurn(task: Task, ask: Ask): Promise<Done<Result>> {
    const depart = this.#room.take(ask.key, 1)
    if (typeof depart === 'string') return failed(depart === 'key' ? 'crowded' : 'busy')
    this.#waiting++
    const leave = await this.#turns.take(ask.key, { signal: ask.signal })
    try {
      if (typeof leave === 'string' || this.#isClosed) return failed('stopped')
      return ask.isNeeded?.() === false ? failed('unneeded') : await this.#run(task, ask)
    } finally {
      if (typeof leave === 'function') leave()
      this.#waiting--
      depart()
    }
  }

  async #run(task: Task, { timeoutMs, name, signal: stopped }: Ask): Promise<Done<Result>> {
    const limit = new AbortController()
    const signal = stopped ? AbortSignal.any([limit.signal, stopped]) : limit.signal
    const named = name === undefined ? {} : { name }
    let timer: NodeJS.Timeout | undefined
    try {
      if (this.#pool.threads.length === 0 && this.#warmUp !== undefined) await this.#pool.run(this.#warmUp, named)
      timer = setTimeout(() => limit.abort(), timeoutMs)
      return { ok: true, result: await this.#pool.run(task, { ...named, signal }) }
    } catch (error) {
      if (this.#isClosed || stopped?.aborted) return failed('stopped')
      if (limit.signal.aborted) return failed('timeout')
      if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
        return failed('memory')
      throw error
    } finally {
      clearTimeout(timer)
    }
  }
}

const failed = (why: Extract<Done<never>, { ok: false }>['why']) => ({ ok: false, why }) as const
