/** The outcome of one part of the corpus. */
export interface Tally {
  readonly part: string
  passed: number
  /** Reason → how many differences it explains. */
  readonly explained: Map<string, number>
  /** One line each: the difference and its place. */
  readonly unexplained: string[]
}

export function newTally(part: string): Tally {
  return { part, passed: 0, explained: new Map(), unexplained: [] }
}

export function explain(tally: Tally, reason: string): void {
  tally.explained.set(reason, (tally.explained.get(reason) ?? 0) + 1)
}

export function explainedCount(tally: Tally): number {
  return [...tally.explained.values()].reduce((sum, count) => sum + count, 0)
}
