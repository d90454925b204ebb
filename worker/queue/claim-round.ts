import type { CheckQueue } from '../../core/check-queue.ts'
import { claimChecks, type Claimed } from '../../store/queue/claim.ts'
import type { Store } from '../../store/db/client.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import type { Task } from '../../runners/check/task.ts'
import { taskOf } from './task-of.ts'

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
function createClaimRound({ store, queue, leaseSeconds }: ClaimRound) {
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

interface ClaimsOptions {
  readonly store: Store
  readonly secrets: SecretBox
  /** Queues in the order in which they are tried. */
  readonly queues: readonly CheckQueue[]
  readonly leaseSeconds: number
  readonly hasModel: boolean
  /** Called with each task and the row that it was made from. */
  readonly onTask?: (task: Task, row: Claimed) => void
}

/**
 * Claims from several queues in turn. `holder` is the runner token that the checks are claimed with; null: this process
 * runs them itself.
 */
type Claims = (limit: number, holder: number | null) => Promise<readonly Task[]>

export function createClaims(options: ClaimsOptions): Claims {
  const { store, secrets, queues, leaseSeconds, hasModel, onTask } = options
  const rounds = queues.map((queue) => ({ queue, claim: createClaimRound({ store, queue, leaseSeconds }) }))
  let turn = 0

  return async (limit, holder) => {
    const tasks: Task[] = []
    // Each time another queue is first, so that a queue that is always full does not starve the rest.
    const first = turn++ % rounds.length
    try {
      for (const round of [...rounds.slice(first), ...rounds.slice(0, first)])
        if (tasks.length < limit) await claimFrom(round, limit, { holder, tasks })
    } catch (error) {
      // Checks that were claimed before are leased by us already. If the store is away, the next claim fails too.
      if (tasks.length === 0) throw error
    }
    return tasks
  }

  async function claimFrom(
    { queue, claim }: (typeof rounds)[number],
    limit: number,
    { holder, tasks }: { readonly holder: number | null; readonly tasks: Task[] },
  ): Promise<void> {
    for await (const { rows, claimedAt } of claim(limit - tasks.length, holder))
      for (const row of rows) {
        const task = taskOf(row, { queue, claimedAt, secrets, hasModel })
        onTask?.(task, row)
        tasks.push(task)
      }
  }
}
