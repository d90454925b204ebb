/** Bounds of the streams of events. All times are milliseconds of the process's clock. */
export const EVENT_LIMITS = {
  /** Largest number of monitors whose runs a stream tells of. */
  watched: 100,
  /** Streams that are open at once: of one session or key, and of one process. */
  perCaller: 5,
  /** Of one team. */
  perTeam: 50,
  total: 200,
  /** A stream goes on behind the event that a client names, if that is not older. */
  resumeMs: 600_000,
  /** Largest number of events of a team that a process keeps for that. */
  kept: 1_000,
  /** Largest number of events that a stream is told of at once. Instead of more it gets a gap. */
  atOnce: 200,
  /** Between two gaps that a team is told of: each makes its clients read everything again. */
  gapMs: 5_000,
  /** Between two looks into the store. A pause is also at least so many times as long as a look. */
  lookMs: 1_000,
  lookShare: 20,
  /** How often a stream sends a comment, and its credentials are asked for again. */
  checkMs: 15_000,
  /** Bytes that wait for a client. The connection of one with more is ended. */
  waitingBytes: 64 * 1024,
} as const
