import type { Logger } from '../core/logger.ts'
import type { ReachedBound } from '../store/accounts/team/invitation-mails.ts'

const LOG_EVERY_MS = 3_600_000

/** Returns what logs, at most once an hour, that a bound of several teams refuses invitations. */
export function createMailBoundLog(log: Pick<Logger, 'warn'>): (reached: ReachedBound) => void {
  let loggedAt = -Infinity
  return ({ of, most, waitSeconds }) => {
    const now = performance.now()
    if (now - loggedAt < LOG_EVERY_MS) return
    loggedAt = now
    log.warn({ of, most, wait_seconds: waitSeconds }, REFUSED)
  }
}

const REFUSED =
  'invitations are refused: so many invitation mails were sent within an hour, by all teams on the plan free or by ' +
  'all teams (of). The table invitation_mails has the teams. TIDEMARK_INVITATION_MAILS sets the bound'
