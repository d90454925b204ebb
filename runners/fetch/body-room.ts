import type { Slots } from '../../concurrency/gates/slots.ts'

/** A body of more bytes is large. Those of all slots together are small beside the memory of a process. */
export const LARGE_BODY_BYTES = 512 * 1024

/**
 * The room of one check for large bodies. A process holds a bounded number of them: all slots of one team may get
 * pages of the largest size at once. A check that has no room waits in the middle of its body, and its deadline waits
 * too.
 */
export class BodyRoom {
  readonly #slots: Slots
  readonly #team: string
  readonly #signal: AbortSignal
  #taken: (() => void) | null = null
  #asked: Promise<void> | null = null
  #ended: AbortController | null = null
  /** Milliseconds that the check has waited for room, in all its fetches. */
  waitedMs = 0

  /** `signal` ends the wait. */
  constructor(slots: Slots, team: string, signal: AbortSignal) {
    this.#slots = slots
    this.#team = team
    this.#signal = signal
  }

  /** Takes room for what the check reads. Returns null if there is room now, or else what resolves when there is. */
  take(): Promise<void> | null {
    if (this.#taken) return null
    if (this.#asked) return this.#asked
    this.#taken = this.#slots.tryTake(this.#team)
    return this.#taken ? null : (this.#asked = this.#wait())
  }

  /** Gives the room back. Call it once the check holds no body any more. */
  leave(): void {
    this.#ended?.abort()
    this.#taken?.()
  }

  async #wait(): Promise<void> {
    const startedAt = performance.now()
    this.#ended = new AbortController()
    const signal = AbortSignal.any([this.#signal, this.#ended.signal])
    const taken = await this.#slots.take(this.#team, { signal })
    this.waitedMs += performance.now() - startedAt
    this.#asked = null
    if (typeof taken !== 'string') this.#taken = taken
  }
}

/** Returns the milliseconds of a monotonic clock that stands still while a check waits for room. */
export const fetchClock = (room: BodyRoom | undefined): number => performance.now() - (room?.waitedMs ?? 0)
