import type { CheckQueue } from '../../core/check-queue.ts'
import { claimChecks, type Claimed } from '../../store/queue/claim.ts'
import type { Store } from '../../store/db/client.ts'

/** The rows of one claim, and `performance.now()` before it. */
interface ClaimedTogether {
  readonly rows: readonly Claimed[]
  readonly claimedAt: number
}

interface ClaimRound {
  readonly store: Store
  readonly queue: CheckQueue
  readonly leaseSeconds: number
}

/**
 * Claims from one queue and goes round all teams. Each claim continues where the last one stopped, so that other teams
 * are next after a team that fills a whole claim. Room that remains is then offered to the first teams.
 */
export function createClaimRound({ store, queue, leaseSeconds }: ClaimRound) {
  let afterTeam = ''
  let lastTeams = 1
  return async function* claim(limit: number, holder: number | null = null): AsyncGenerator<ClaimedTogether> {
    // The share of each team is computed from the number of teams that had work last time.
    const perTeam = Math.max(1, Math.ceil(limit / lastTeams))
    const teams = new Set<string>()
    let room = limit
    for (const start of afterTeam === '' ? [''] : [afterTeam, '']) {
      const claimedAt = performance.now()
      const share = Math.min(perTeam, room)
      const within = { limit: room, perTeam: share, afterTeam: start }
      const rows = await claimChecks(store, { queue, ...within, leaseSeconds, holder })
      const served = new Set(rows.map((row) => row.team_id))
      for (const team of served) teams.add(team)
      afterTeam = rows.length >= room ? maxOf(served) : ''
      room -= rows.length
      yield { rows, claimedAt }
      if (afterTeam !== '') break
    }
    lastTeams = Math.max(1, teams.size)
  }
}

function maxOf(ids: ReadonlySet<string>): string {
  let max = ''
  for (const id of ids) if (id > max) max = id
  return max
}
