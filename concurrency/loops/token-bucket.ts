/** A rate, and how many may come at once. */
export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/** Tokens that refill with time: it bounds a rate over all who take from it. */
export class TokenBucket {
  readonly #rate: Rate
  #tokens: number
  #filledAt = performance.now()

  constructor(rate: Rate) {
    this.#rate = rate
    this.#tokens = rate.burst
  }

  /** Takes a token if there is one. */
  tryTake(): boolean {
    this.#fill()
    if (this.#tokens < 1) return false
    this.#tokens -= 1
    return true
  }

  /**
   * Takes a token, and returns the milliseconds until it is available: at most `longestMs`. Beyond that nothing more is
   * owed, because who comes after an outage must not wait for all that was asked for during it.
   */
  reserve(longestMs = Number.POSITIVE_INFINITY): number {
    this.#fill()
    const { perSecond } = this.#rate
    this.#tokens = Math.max(this.#tokens - 1, (-longestMs / 1_000) * perSecond)
    return this.#tokens >= 0 ? 0 : (-this.#tokens / perSecond) * 1_000
  }

  #fill(): void {
    const now = performance.now()
    const { perSecond, burst } = this.#rate
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#filledAt) / 1_000) * perSecond)
    this.#filledAt = now
  }
}
