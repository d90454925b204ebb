/** What `serve --config --prune` deletes of the monitors that its folder declares. */
export const PRUNE_LIMIT = {
  /** At most one of so many monitors at once, and always one. */
  oneOf: 10,
  /** At most so many at once, however many the folder declares. */
  most: 10,
  /** A file counts as gone when it was not there for this time: a folder may be written slowly. */
  goneMs: 10_000,
} as const

/** Returns how many monitors are deleted at once of so many that a folder declared before. */
export const mostPruned = (declared: number): number =>
  Math.max(1, Math.min(PRUNE_LIMIT.most, Math.floor(declared / PRUNE_LIMIT.oneOf)))
