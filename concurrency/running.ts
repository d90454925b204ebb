/** Counts the promises that are not settled yet. */
export class Running {
  #count = 0
  #rest: PromiseWithResolvers<void> | null = null

  /** Counts the work until it is settled. The work itself must not reject, or somebody else must wait for it. */
  add(work: Promise<unknown>): void {
    this.#count += 1
    work.then(this.#ended, this.#ended)
  }

  readonly #ended = (): void => {
    this.#count -= 1
    if (this.#count === 0) this.#rest?.resolve()
  }

  /** Resolves when all of it is settled, also what was added meanwhile. */
  async settled(): Promise<void> {
    if (this.#count === 0) return
    // What ended may have begun the next at once.
    for (; this.#count > 0; this.#rest = null) await (this.#rest ??= Promise.withResolvers<void>()).promise
  }
}
