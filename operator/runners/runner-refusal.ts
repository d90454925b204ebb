/** Why the cluster starts no runner pods, and who wants to know. */
export class RunnerRefusal {
  #why: string | null = null
  readonly #listeners: (() => void)[] = []

  /** Null: it starts them. */
  get why(): string | null {
    return this.#why
  }

  /** Notes that the cluster begins to refuse pods, or to keep them from starting, or that it does neither any more. */
  note(why: string | null): void {
    this.#why = why
    for (const tell of this.#listeners) tell()
  }

  /** Calls `listener` whenever another reason was noted. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener)
  }
}
