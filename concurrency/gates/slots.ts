import { Gate, type GateCaps } from './gate.ts'
import type { Job } from './queue.ts'

/** Frees what was taken, once, however often it is called. */
type Leave = () => void

interface SlotCaps extends Pick<GateCaps, 'total' | 'policy'> {
  /** Slots of one team, or whatever the key is. Default: all. A larger amount counts as this. */
  readonly perTeam?: number
  /** How many wait at most: of all teams, and of one. Default: any number. */
  readonly waiting?: number
  readonly teamWaiting?: number
}

interface Wait {
  /** Slots, or bytes. Default 1. */
  readonly amount?: number
  /** Default: any time. */
  readonly waitMs?: number | undefined
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined
  /** It waits however many do, because what it is part of has begun. Default false. */
  readonly isBegun?: boolean
}

interface Waiter extends Job {
  admit: (leave: Leave) => void
}

/**
 * Slots that are waited for. Teams take turns; within a team the order is first come, first served. Where the next one
 * in turn needs more than is free, the others wait behind it, so that small requests do not keep a large one from its
 * room.
 */
export class Slots {
  readonly #caps: Required<Omit<SlotCaps, 'policy'>>
  readonly #gate: Gate<Waiter>

  constructor({ total, policy = 'turns', ...caps }: SlotCaps) {
    this.#caps = { total, perTeam: total, waiting: Infinity, teamWaiting: Infinity, ...caps }
    const { perTeam } = this.#caps
    this.#gate = new Gate({ total, perHost: perTeam, perTeamAtHost: perTeam, policy })
  }

  /** What is taken now. */
  get held(): number {
    return this.#gate.active
  }

  /** How many wait now. */
  get waiting(): number {
    return this.#gate.waiting
  }

  /** Takes the amount, if it has not to wait. */
  tryTake(team: string, amount = 1): Leave | null {
    let taken: Leave | null = null
    const waiter = this.#enter(team, amount, (leave) => (taken = leave))
    if (!taken) this.#gate.remove(waiter)
    return taken
  }

  /**
   * As above, and waits. Resolves with `full` at once when too many wait, with `late` when the wait took longer than
   * `waitMs`, and with `left` when the signal ended it.
   */
  async take(team: string, wait: Wait = {}): Promise<Leave | 'full' | 'late' | 'left'> {
    const { amount, signal, isBegun = false } = wait
    if (signal?.aborted) return 'left'
    const leave = this.tryTake(team, amount)
    if (leave) return leave
    const { waiting, teamWaiting } = this.#caps
    const isFull = this.waiting >= waiting || this.#gate.waitingAt(team) >= teamWaiting
    return isFull && !isBegun ? 'full' : this.#wait(team, wait)
  }

  #wait(team: string, { amount = 1, signal, waitMs }: Wait): Promise<Leave | 'late' | 'left'> {
    const { promise, resolve } = Promise.withResolvers<Leave | 'late' | 'left'>()
    const settle = (outcome: Leave | 'late' | 'left'): void => {
      signal?.removeEventListener('abort', left)
      clearTimeout(timer)
      resolve(outcome)
      if (typeof outcome !== 'string') return
      this.#gate.remove(waiter)
      // Another one may fit where this one did not.
      this.#pump()
    }
    const left = (): void => settle('left')
    const timer = waitMs === undefined ? undefined : setTimeout(() => settle('late'), waitMs)
    signal?.addEventListener('abort', left, { once: true })
    const waiter = this.#enter(team, amount, settle)
    return promise
  }

  #enter(team: string, amount: number, admit: (leave: Leave) => void): Waiter {
    const waiter = {
      host: team,
      team,
      amount: Math.min(amount, this.#caps.perTeam, this.#caps.total),
      admit,
    }
    this.#gate.add(waiter)
    this.#pump()
    return waiter
  }

  #pump(): void {
    for (let next = this.#gate.next(); next; next = this.#gate.next()) next.admit(this.#leaveOf(next))
  }

  #leaveOf(waiter: Waiter): Leave {
    const startedAt = performance.now()
    // The gate forgets a job that has ended.
    return () => {
      this.#gate.done(waiter, performance.now() - startedAt)
      this.#pump()
    }
  }
}
