/** A change in a message of several. */
export interface DigestLine {
  /** One line, not escaped: what is watched, and what changed. */
  readonly text: string
  /** Of the run. Null: there is no dashboard to link to. */
  readonly url: string | null
}

/** The changes of a message, oldest first. */
export interface DigestLines {
  readonly lines: readonly DigestLine[]
  /** How many there are: a message does not name them all. */
  readonly count: number
  /** Where all of them are. Null: there is no dashboard. */
  readonly url: string | null
}
