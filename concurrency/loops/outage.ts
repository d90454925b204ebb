/**
 * Tells a person that something this process needs is away: one line when it goes, one a minute, and one when it is
 * back. Code that meets the fault asks it before logging.
 */
export interface Outage {
  /**
   * Returns whether the error means that it is away. If so, the error is counted here, and the caller logs nothing.
   * `doing`: what failed, as a short plural. The lines count by it, so it holds no id.
   */
  covers(error: unknown, doing: string): boolean
  /** It answered. It counts as back when no error followed for a moment. */
  answered(): void
  readonly isAway: boolean
  /** Everything that failed since the start. */
  readonly failures: number
}

/** Where it logs; a pino logger fits without an adapter. */
export interface OutageLog {
  error(fields: object, message: string): void
  warn(fields: object, message: string): void
}

interface OutageOptions {
  /** What is away, for the lines: `the store`. */
  readonly what: string
  readonly log: OutageLog
  readonly isAway: (error: unknown) => boolean
  /** Returns the part of an error that a line may contain. */
  readonly reasonOf: (error: unknown) => string
  /** Between two lines while it is away, in milliseconds. Default 60,000. */
  readonly everyMs?: number
}

/**
 * It is back when an answer is newer than the last error, and that error is this old. Loops ask again each second, and
 * some statements may be answered while others fail (a full disk).
 */
const QUIET_MS = 3_000
const LOOK_MS = 250

interface Absence {
  readonly since: number
  loggedAt: number
  failedAt: number
  answeredAt: number
  readonly failed: Record<string, number>
  readonly timer: NodeJS.Timeout
}

export function createOutage({ what, log, isAway, reasonOf, everyMs = 60_000 }: OutageOptions): Outage {
  let absence: Absence | null = null
  let failures = 0

  function begin(error: unknown, doing: string): Absence {
    const now = performance.now()
    log.error({ reason: reasonOf(error), doing }, `${what} is away; what needs it waits or is refused`)
    // A process that has nothing else to do must not live on for this.
    const timer = setInterval(look, LOOK_MS).unref()
    return { since: now, loggedAt: now, failedAt: now, answeredAt: -Infinity, failed: {}, timer }
  }

  function look(): void {
    if (absence === null) return
    const now = performance.now()
    const { since, loggedAt, failedAt, answeredAt, failed, timer } = absence
    if (answeredAt > failedAt && now - failedAt >= QUIET_MS) {
      clearInterval(timer)
      absence = null
      log.warn({ away_seconds: seconds(failedAt - since), failed }, `${what} is back`)
    } else if (now - loggedAt >= everyMs) {
      absence.loggedAt = now
      log.warn({ away_seconds: seconds(now - since), failed }, `${what} is still away`)
    }
  }

  return {
    covers(error, doing) {
      if (!isAway(error)) return false
      absence ??= begin(error, doing)
      absence.failedAt = performance.now()
      absence.failed[doing] = (absence.failed[doing] ?? 0) + 1
      failures += 1
      return true
    },
    answered() {
      if (absence !== null) absence.answeredAt = performance.now()
    },
    get isAway() {
      return absence !== null
    },
    get failures() {
      return failures
    },
  }
}

const seconds = (ms: number): number => Math.round(ms / 1000)
