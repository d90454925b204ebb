/**
 * What the patterns of predicates may cost a process. Patterns are tried in threads: all of them first in one where
 * each has a moment, and those that need longer in another one. In both, teams take turns.
 */
export const PATTERN_LIMITS = {
  /** The time of a pattern in the first thread, in milliseconds. An ordinary pattern needs less than one. */
  trialMs: 100,
  /** The time of a pattern in the second thread, in milliseconds. */
  timeoutMs: 1_000,
  /** The most patterns that are in the first thread or wait for it, of a team and of all. */
  trials: { perTeam: 512, total: 2_048 },
  /** The same of the second thread. A team's own slow patterns are all that this bound of a team refuses. */
  slow: { perTeam: 16, total: 256 },
  /** For how long a process remembers a pattern that took too long, in milliseconds. */
  rememberMs: 600_000,
  /** The most that it remembers. Beyond that, what was used longest ago is forgotten. */
  mostRemembered: 1_000,
} as const
