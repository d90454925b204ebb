import type { Logger } from '../../core/logger.ts'
import type { Task } from '../check/task.ts'
import type { Lane } from '../check/check-source.ts'
import type { CheckMetrics } from './check-metrics.ts'

/** A check under our lease. */
export interface Holding {
  readonly task: Task
  /** Aborts the check when its lease is lost; undefined while it waits and when it has ended. */
  lost?: AbortController | undefined
  /** `performance.now()` when the lease was last extended. */
  extendedAt: number
}

interface HoldingsOptions {
  readonly lane: Lane
  readonly log: Logger
  readonly metrics: CheckMetrics
  readonly leaseMs: number
}

/**
 * The checks under our lease, from their claim to their record: keeps the leases alive, and gives back what will not be
 * finished.
 */
export interface Holdings {
  /** Takes a task under our care; a holding of the same check under an older fence is void. */
  take(task: Task): void
  /** The holding of a task; undefined when its lease was lost. */
  of(task: Task): Holding | undefined
  forget(holding: Holding): void
  /** Keeps the leases alive from now on, until `stop`. */
  keep(): void
  stop(): void
  /** Gives back those that `which` names, unrecorded. */
  giveBack(which: (task: Task) => boolean): Promise<void>
  /** Resolves when nothing is held. */
  emptied(): Promise<void>
}

/** Nothing is held yet. */
export function createHoldings(options: HoldingsOptions): Holdings {
  return new KeptHoldings(options)
}

class KeptHoldings implements Holdings {
  readonly #options: HoldingsOptions
  readonly #byNo = new Map<number, Holding>()
  #emptied = Promise.withResolvers<void>()
  #timer: NodeJS.Timeout | undefined

  constructor(options: HoldingsOptions) {
    this.#options = options
  }

  take(task: Task): void {
    // Held already: its lease ended unnoticed, and it came back to us. The check under the old fence is void.
    this.#byNo.get(task.no)?.lost?.abort()
    this.#byNo.set(task.no, { task, lost: undefined, extendedAt: task.claimedAt })
  }

  of(task: Task): Holding | undefined {
    const holding = this.#byNo.get(task.no)
    return holding?.task === task ? holding : undefined
  }

  forget(holding: Holding): void {
    if (this.#byNo.get(holding.task.no) === holding) this.#byNo.delete(holding.task.no)
    if (this.#byNo.size === 0) this.#emptied.resolve()
  }

  keep(): void {
    this.#timer = setInterval(() => void this.#heartbeat(), Math.min(1000, this.#options.leaseMs / 6))
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Extends the leases that are a third through. So a fast check never costs a heartbeat. */
  async #heartbeat(): Promise<void> {
    const { lane, log, metrics, leaseMs } = this.#options
    const now = performance.now()
    const due = [...this.#byNo.values()].filter(({ extendedAt }) => now - extendedAt > leaseMs / 3)
    if (due.length === 0) return
    for (const holding of due) holding.extendedAt = now
    try {
      const kept = await lane.heartbeat(due.map(({ task }) => task))
      for (const holding of due) if (!kept.has(holding.task.no)) this.#lose(holding)
    } catch (error) {
      // The next one, in a moment, may still extend the lease; if not, the fence keeps our result out.
      for (const holding of due) holding.extendedAt = -Infinity
      metrics.laneFault()
      log.warn({ err: error }, 'a heartbeat failed')
    }
  }

  async giveBack(which: (task: Task) => boolean): Promise<void> {
    const tasks: Task[] = []
    for (const { task, lost } of this.#byNo.values()) {
      if (!which(task)) continue
      lost?.abort()
      this.#byNo.delete(task.no)
      tasks.push(task)
    }
    if (tasks.length === 0) return
    try {
      await this.#options.lane.release(tasks, 0)
    } catch (error) {
      this.#options.log.warn(
        { err: error },
        'could not give checks back; they are taken up again when their leases end',
      )
    }
  }

  async emptied(): Promise<void> {
    if (this.#byNo.size === 0) return
    this.#emptied = Promise.withResolvers<void>()
    await this.#emptied.promise
  }

  #lose(holding: Holding): void {
    const text = 'a check lost its lease: it was edited, deleted, or held for too long'
    this.#options.log.debug({ run_id: holding.task.runId }, text)
    holding.lost?.abort()
    this.forget(holding)
  }
}
