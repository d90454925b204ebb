import { RunnerApiError } from './runner-api-error.ts'

/** A worker that was upgraded hears the level this soon. */
const AGAIN_MS = 60_000
const INVALID = 422

/**
 * The level that a runner says in its claims (docs/decisions/0038-work-has-a-level.md). A worker from before the levels
 * refuses the key, and has no work above the first: it is asked without it for a minute.
 */
export class ClaimLevel {
  readonly #level: number
  #withoutUntil = -Infinity

  constructor(level: number) {
    this.#level = level
  }

  /** Calls `ask` with the key, and once more without it where the worker refuses it. */
  async ask<T>(ask: (key: { readonly level?: number }) => Promise<T>): Promise<T> {
    if (this.#level === 1 || performance.now() < this.#withoutUntil) return ask({})
    try {
      return await ask({ level: this.#level })
    } catch (error) {
      if (!(error instanceof RunnerApiError) || error.status !== INVALID) throw error
      const answer = await ask({})
      this.#withoutUntil = performance.now() + AGAIN_MS
      return answer
    }
  }
}
