import type { CheckQueue } from '../../core/check-queue.ts'
import type { Claimed } from '../../store/queue/claim.ts'
import type { Store } from '../../store/db/client.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import type { Task } from '../../runners/check/task.ts'
import { createClaimRound } from './claim-round.ts'
import { taskOf } from './task-of.ts'

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
