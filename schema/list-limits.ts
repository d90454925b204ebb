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
  /**
   * Bytes of groups that one process reads and sends at the same time. Lists wait for their turn; one more than may is
   * refused. `waitMs`: the time that a list waits for its first group.
   */
  underWay: { total: 16 * 1024 * 1024, perTeam: 8 * 1024 * 1024, waiting: 64, teamWaiting: 16, waitMs: 10_000 },
  /** The time that a list waits for each further group. */
  nextWaitMs: 30_000,
  /** Time in which the client has to take each `groupBytes` that are sent. */
  takeMs: 20_000,
  /** Time in which it has to take the whole answer. */
  answerMs: 600_000,
} as const
