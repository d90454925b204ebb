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
    if (this.#count > 0) return
    this.#rest?.resolve()
    this.#rest = null
  }

  /** Resolves when all of it is settled, also what was added meanwhile. */
  async settled(): Promise<void> {
    // What ended may have begun the next at once.
    while (this.#count > 0) await (this.#rest ??= Promise.withResolvers<void>()).promise
  }
}
