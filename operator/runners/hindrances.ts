import type { RunnerRefusal } from './runner-refusal.ts'

interface Hindrance {
  /** Why the cluster refused the last pod. Null: it took it. */
  readonly refused: string | null
  /** How the last pods failed, one after the other. Null: one has completed since then. */
  readonly failing: string | null
  /** That a pod was given up, because it did not start. Null: one has run since then. */
  readonly notStarted: string | null
}

/** What keeps checks waiting for a runner. The first of the reasons is the one that is noted. */
export class Hindrances {
  readonly #refusal: RunnerRefusal
  #now: Hindrance = { refused: null, failing: null, notStarted: null }

  constructor(refusal: RunnerRefusal) {
    this.#refusal = refusal
  }

  /** Takes over what changed, and notes the reason where it is another one than before. */
  change(change: Partial<Hindrance>): void {
    this.#now = { ...this.#now, ...change }
    const reason = this.#now.refused ?? this.#now.failing ?? this.#now.notStarted
    if (reason !== this.#refusal.why) this.#refusal.note(reason)
  }
}
