import type { RunnerHeld } from '../../schema/runner-api.ts'

/** The token that a runner uses now. It is another one after a renewal. */
export class HeldToken {
  readonly #reread: () => Promise<string | null>
  #text: string
  #endsAt = Infinity
  #renewAt: number | null = null

  /** `reread` returns the token that is kept now: another process may have renewed it. */
  constructor(text: string, reread: () => Promise<string | null> = async () => null) {
    this.#text = text
    this.#reread = reread
  }

  get text(): string {
    return this.#text
  }

  /** Uses this token from now on. Returns false when it is the one in use. */
  use(text: string): boolean {
    if (text === this.#text) return false
    this.#text = text
    // The next answer says it.
    this.#endsAt = Infinity
    this.#renewAt = null
    return true
  }

  /** Returns whether there is another token than one that was refused: it was renewed while the request was sent. */
  async isOtherThan(refused: string): Promise<boolean> {
    if (this.#text !== refused) return true
    const kept = await this.#reread()
    return kept !== null && this.use(kept)
  }

  /** Notes the validity from an answer to a request that had this token. */
  note(answer: Pick<RunnerHeld, 'token_ms' | 'renew_ms'>, askedWith: string): void {
    // What an answer says of another token does not hold for this one.
    if (askedWith !== this.#text) return
    const now = performance.now()
    this.#endsAt = now + answer.token_ms
    this.#renewAt = answer.renew_ms === undefined ? null : now + answer.renew_ms
  }

  /** Returns the milliseconds for which it is still valid, as far as known. */
  livesMs(): number {
    return this.#endsAt - performance.now()
  }

  /** Returns the milliseconds until it should be exchanged; 0: now. Null: it never is, as far as known. */
  renewInMs(): number | null {
    return this.#renewAt === null ? null : Math.max(0, this.#renewAt - performance.now())
  }
}
