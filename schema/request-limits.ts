const MIB = 1024 * 1024

/**
 * Bounds of requests in one API process, beside those of work (`WORK`) and of lists (`LIST_LIMITS`). Teams take turns.
 * What waits for too long, or finds that too many of its team wait, is 429.
 */
export const REQUEST_LIMITS = {
  /** Requests that are handled at the same time. */
  handling: { total: 32, perTeam: 8, waiting: 4_096, teamWaiting: 512, waitMs: 30_000 },
  /** Bytes of bodies above the default size that are received and handled at the same time. */
  bodies: { total: 16 * MIB, perTeam: 8 * MIB, waiting: 64, teamWaiting: 16, waitMs: 10_000 },
  /** Bytes of large answers that are sent at the same time. Those that wait are in memory. */
  answers: { total: 16 * MIB, perTeam: 8 * MIB, waiting: 16, teamWaiting: 4, waitMs: 10_000 },
  /**
   * Bytes of pictures that are read and sent at the same time. The largest one has 15 MiB, and a person opens pages of
   * twenty.
   */
  pictures: { total: 64 * MIB, perTeam: 32 * MIB, waiting: 512, teamWaiting: 128, waitMs: 10_000 },
  /** An answer with more bytes is counted until the client has it. */
  largeAnswerBytes: 256 * 1024,
  /**
   * Rounds of the event loop after a large body or answer, before the next request of its team has a turn. In each
   * round one connection is accepted, so that new connections do not wait for the requests of those before them.
   */
  roundsAfterLarge: 256,
  /** Time in which a client has to take a large answer or a picture. */
  takeMs: 60_000,
  /** Requests of one connection that wait for their answers. The connection of one more is ended. */
  ofConnection: 32,
} as const
