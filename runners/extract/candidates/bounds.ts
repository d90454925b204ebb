/**
 * Limits of what is offered for a page. They hold for hostile pages; a common page comes near none of them. The time of
 * all of it is that of the extractor's threads.
 */
export const CANDIDATE_LIMITS = {
  /** Milliseconds in the thread: for the candidates of an element, for guesses, for an outline. */
  readMs: 5_000,
  /** Candidates of one element that read its text. */
  values: 8,
  /** Candidates that read one of its attributes; lists that it belongs to. */
  attributes: 6,
  lists: 2,
  guesses: 10,
  /** Characters of an attribute's value or a class that a selector may name. */
  nameLength: 100,
  /** Classes of an element that are read. */
  classes: 12,
  /** Different values of a data attribute that names a role. */
  dataValues: 12,
  /** Elements that are compared while selectors for one element are sought. */
  comparisons: 1_000_000,
  /** The cost of an engine for one rule, in siblings or nodes that it looks at. */
  ruleCost: 3_000_000,
  /** Elements around one that are looked at. */
  ancestors: 30,
  /** Characters of a text beside an element that labels it. */
  labelLength: 60,
  /** Characters of a value in a label or an outline. */
  shownLength: 120,
  /** Nodes of an outline, those below one node, and its levels. */
  outlineNodes: 2_000,
  outlineChildren: 100,
  outlineDepth: 24,
  /** Characters of JSON inside a page that is read for a price. */
  embeddedJson: 500_000,
} as const

/** Counts work down. What is sought behind its end is not found. */
export class Budget {
  #left: number

  constructor(most: number) {
    this.#left = most
  }

  /** Returns whether the work may be done. */
  spend(amount: number): boolean {
    this.#left -= amount
    return this.#left >= 0
  }
}
