/** What bounds a look. What is over a bound is left out, and a warning says so. */
export const LOOK_LIMITS = {
  /** How long it is kept. */
  seconds: 900,
  /** Looks of one team that are kept, and their bytes. The oldest end before their time. */
  perTeam: 20,
  bytesPerTeam: 64 * 1024 * 1024,
  /** Nodes of the document that are walked, from its beginning. */
  nodes: 20_000,
  elements: 4_000,
  /** Of the text of an element. */
  textChars: 120,
  /** Of the name of an element. */
  tagChars: 100,
  /** Deeper elements have no path. */
  depth: 512,
  /** Of the elements as JSON. */
  bytes: 1024 * 1024,
  covers: 20,
  warnings: 50,
  /** What covers more of the view is listed. */
  coverPct: 30,
  /** Positions and sizes are within this, in CSS pixels. */
  pixels: 100_000,
  /** Of a value that a candidate shows. */
  valueChars: 500,
  /** The matches of a rule that are listed. */
  matches: 1_000,
} as const
