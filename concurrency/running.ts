/** Tracks the promises that are not settled yet. */
export class Running {
  #count = 0
  #rest: PromiseWithResolvers<void> | null = null

  /** Tracks the work until it is settled. The work must not reject, or another caller must handle the rejection. */
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

  /** Resolves when all work is settled, including work that was added in the meantime. */
  async settled(): Promise<void> {
    // Work that ended may have started new work.
    while (this.#count > 0) await (this.#rest ??= Promise.withResolvers<void>()).promise
  }
}
