import { byKind } from '../../../core/by-kind.ts'
import type { RunnerClaimed } from '../../../schema/runner-api.ts'
import type { CheckPorts } from '../check.ts'
import type { Reading } from '../reading.ts'
import type { Task } from '../task.ts'

/** How the checks of one kind of monitor are run. Those who handle all kinds alike take it without arguments. */
export interface CheckKind<T extends Task = Task, List extends keyof TaskLists = keyof TaskLists> {
  readonly kind: T['kind']
  /** Runs one check. Never rejects because of a site's behaviour. */
  check(task: T, ports: CheckPorts): Promise<Reading>
  /** How its tasks go to runners. Absent: runners do none. */
  readonly wire?: {
    readonly list: List
    to(task: T): TaskLists[List][number]
    /** `claimedAt` is the runner's `performance.now()` before its request. */
    from(wire: TaskLists[List][number], claimedAt: number): T
  }
}

/** The lists of tasks that a runner gets, each of one kind. */
type TaskLists = Required<Pick<RunnerClaimed, 'tasks' | 'searches'>>

/** Runs one check as its kind says. */
export const checkByKind = (kinds: readonly CheckKind[], task: Task, ports: CheckPorts): Promise<Reading> =>
  byKind(kinds, task.kind).check(task, ports)

/** Returns claimed tasks as they are sent to a runner. */
export function tasksToWire(kinds: readonly CheckKind[], claimed: readonly Task[]): TaskLists {
  const lists = kinds.flatMap(({ kind, wire }) =>
    wire ? [[wire.list, claimed.filter((task) => task.kind === kind).map((task) => wire.to(task))]] : [],
  )
  return Object.fromEntries(lists) as TaskLists
}

/** Returns the tasks that a runner was sent. */
export const tasksFromWire = (kinds: readonly CheckKind[], sent: RunnerClaimed, claimedAt: number): readonly Task[] =>
  kinds.flatMap(({ wire }) => (wire ? (sent[wire.list] ?? []).map((task) => wire.from(task, claimedAt)) : []))
