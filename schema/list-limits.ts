/**
 * Limits of lists. A page is answered at once where no row has more than its part of `pageBytes`, which is `pageBytes`
 * by the `limit` of the page. Another one is sent in groups: rows of `groupBytes` together, or one row that is larger.
 * All sizes are bytes of what is stored, uncompressed.
 */
export const LIST_LIMITS = {
  /** Of a run or a delivery in a list, a single value that is larger is cut, and named in `truncated`. */
  valueBytes: 16 * 1024,
  pageBytes: 512 * 1024,
  groupBytes: 256 * 1024,
  /** Groups that one process reads and sends at the same time. */
  underWayBytes: 16 * 1024 * 1024,
  /** Those of one team. */
  teamBytes: 8 * 1024 * 1024,
  /** Lists of a process, and of one team, that wait for their turn; one more is refused. */
  waiting: 64,
  teamWaiting: 16,
  /** Time that a list waits for its first group, and then for each further one. */
  waitMs: 10_000,
  nextWaitMs: 30_000,
  /** Time in which the client has to take each `groupBytes` that are sent. */
  takeMs: 20_000,
  /** Time in which it has to take the whole answer. */
  answerMs: 600_000,
} as const
