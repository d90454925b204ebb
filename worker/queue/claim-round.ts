import { byKind } from '../../core/by-kind.ts'
import type { CheckQueue } from '../../core/check-queue.ts'
import type { Task } from '../../runners/check/task.ts'
import { WORK_LEVEL } from '../../schema/level.ts'
import type { Store } from '../../store/db/client.ts'
import { noteRendering } from '../../store/maintenance/unrendered.ts'
import { claimChecks, type ClaimColumns, type Claimed, claimedOf, TEAMS_PER_CLAIM } from '../../store/queue/claim.ts'
import { noteLevel } from '../../store/queue/queue-levels.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import type { Asking, SearchClaims, WorkKind } from '../kinds/work-kind.ts'

/** The rows of one claim, and `performance.now()` before it. */
interface ClaimedTogether {
  readonly rows: readonly Claimed[]
  readonly claimedAt: number
}

interface SharedClaims {
  readonly store: Store
  readonly claimed: ClaimColumns
  readonly queue: CheckQueue
  readonly leaseSeconds: number
}

/**
 * Claims from one queue that kinds share. Every claim is divided among the teams that have due work, however many
 * processes claim: a team with thousands of due checks delays no other team to a later claim. What the others leave of
 * it is then offered to those that have more. One statement looks at a few hundred teams; with more of them, the next
 * continues after the last.
 */
function createSharedClaims({ store, claimed: of, queue, leaseSeconds }: SharedClaims) {
  let afterTeam = ''
  return async function* claim(
    limit: number,
    { holder, exceptTeams, only = null, level = WORK_LEVEL }: Asking,
  ): AsyncGenerator<ClaimedTogether> {
    const served = new Map<string, number>()
    let room = limit
    const claimed = async (start: string, perTeam: number | null): Promise<ClaimedTogether> => {
      const claimedAt = performance.now()
      const within = { limit: room, perTeam, afterTeam: start, ...(exceptTeams && { exceptTeams }) }
      const rows = await claimChecks(store, of, { queue, ...within, leaseSeconds, holder, only, level })
      for (const { team_id: team } of rows) served.set(team, (served.get(team) ?? 0) + 1)
      room -= rows.length
      return { rows, claimedAt }
    }
    // A runner pod asks for its own check only. That does not count as the turn of a team.
    if (only !== null) {
      yield await claimed('', null)
      return
    }
    let start = afterTeam
    let hasBegunAgain = start === ''
    while (room > 0) {
      const together = await claimed(start, null)
      start = afterTeam = room <= 0 || mayHaveMissed(together.rows) ? lastOf(together.rows) : ''
      yield together
      if (start === '' && hasBegunAgain) break
      hasBegunAgain ||= start === ''
    }
    if (room <= 0) return
    // A team that had more than an even share of this claim may have more due checks.
    const mayHaveMore = served.size > 1 && Math.max(...served.values()) >= limit / (served.size + 1)
    if (mayHaveMore) yield await claimed('', room)
  }
}

/**
 * Returns whether the statement may have looked at as many teams as it can, so that there may be others after them. Not
 * each of them gives a row: another process may have what was due. If there are none, the next statement finds nothing.
 */
const mayHaveMissed = (rows: readonly Claimed[]): boolean =>
  new Set(rows.map(({ team_id: team }) => team)).size > TEAMS_PER_CLAIM / 2

/** Returns the last of the teams, in the order in which claims look at them. */
const lastOf = (rows: readonly Claimed[]): string =>
  rows.reduce((last, { team_id: team }) => (team > last ? team : last), '')

interface ClaimsOptions {
  readonly store: Store
  readonly secrets: SecretBox
  readonly kinds: readonly WorkKind[]
  /** Queues in the order in which they are tried. */
  readonly queues: readonly CheckQueue[]
  readonly leaseSeconds: number
  readonly hasModel: boolean
  /** Absent: the defaults of the settings. */
  readonly search?: SearchClaims | undefined
  /** Called with each task and the row that it was made from. */
  readonly onTask?: (task: Task, row: Claimed) => void
}

/** Claims from several queues in turn. */
type Claims = (limit: number, asking: Asking) => Promise<readonly Task[]>

const NOTED_EVERY_MS = 60_000

export function createClaims(options: ClaimsOptions): Claims {
  const { store, secrets, kinds, queues, leaseSeconds, hasModel, search, onTask } = options
  const claimed = claimedOf(kinds.map((kind) => kind.claimed))
  const rounds = queues.map((queue) => {
    const own = kinds.find((kind) => kind.queue?.name === queue)?.queue
    return { queue, claim: own ? claimOfOwn(own) : createSharedClaims({ store, claimed, queue, leaseSeconds }) }
  })
  let turn = 0
  const notedAt = new Map<string, number>()

  /** Checks that nobody takes are given up, or somebody is told of them. */
  async function noteTaking({ level = WORK_LEVEL, exit = search?.exit }: Asking): Promise<void> {
    const taken = exit === null ? queues.filter((queue) => queue !== 'serp') : queues
    const key = `${level} ${taken.join(' ')}`
    if (performance.now() - (notedAt.get(key) ?? -Infinity) < NOTED_EVERY_MS) return
    if (queues.includes('browser')) await noteRendering(store)
    await noteLevel(store, taken, level)
    notedAt.set(key, performance.now())
  }

  /** Claims from a queue of one kind. */
  function claimOfOwn(own: NonNullable<WorkKind['queue']>) {
    return async function* claim(limit: number, asking: Asking): AsyncGenerator<ClaimedTogether> {
      const claimedAt = performance.now()
      yield { rows: await own.claim({ store, leaseSeconds, search }, limit, asking), claimedAt }
    }
  }

  return async (limit, asking) => {
    const tasks: Task[] = []
    // Each time another queue is first, so that a queue that is always full does not starve the rest.
    const first = turn++ % rounds.length
    try {
      await noteTaking(asking)
      for (const round of [...rounds.slice(first), ...rounds.slice(0, first)])
        if (tasks.length < limit) await claimFrom(round, limit, { ...asking, tasks })
    } catch (error) {
      // Checks that were claimed before are leased by us already. If the store is away, the next claim fails too.
      if (tasks.length === 0) throw error
    }
    return tasks
  }

  async function claimFrom(
    { queue, claim }: (typeof rounds)[number],
    limit: number,
    { tasks, ...asking }: Asking & { readonly tasks: Task[] },
  ): Promise<void> {
    for await (const { rows, claimedAt } of claim(limit - tasks.length, asking))
      for (const row of rows) {
        const task = byKind(kinds, row.kind).taskOf(row, { queue, claimedAt, secrets, hasModel })
        onTask?.(task, row)
        tasks.push(task)
      }
  }
}
