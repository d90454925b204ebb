import type { RunnerJob } from './runner-job.ts'

/** What the spawner knows at one moment. */
interface RunnersSeen {
  /** Its Jobs. Null: the copy of the cluster is not complete, or is out of date. */
  readonly jobs: readonly RunnerJob[] | null
  /**
   * Jobs that were released a moment ago, by name, and whether they are for an isolated check. The copy may not show
   * them yet, or still show them suspended.
   */
  readonly released: ReadonlyMap<string, { readonly isIsolated: boolean }>
  /** The names that live tokens are bound to. */
  readonly tokens: readonly string[]
  /** Checks of the browser queue that are due, and those that runners have leased. */
  readonly demand: { readonly due: number; readonly leased: number }
  /** Isolated checks that wait for their own pod. */
  readonly isolated: readonly number[]
  readonly slots: number
  readonly max: number
  /** Since when the pods of Jobs do not run, by name of the Job. */
  readonly waitingSince: ReadonlyMap<string, number>
  readonly nowMs: number
  /** A pod that is not running for this long does not start. */
  readonly startMs: number
  /** Whether a pod that either kind of check could have goes to an isolated one: the last one did not. */
  readonly isIsolatedNext: boolean
}

/**
 * Why a Job is removed: the process that made it did not release it, its pod did not start in time, or there is no more
 * work for a pod that has not started.
 */
export type RemovalReason = 'orphan' | 'not_started' | 'not_needed'

/** What is to be done. */
export interface RunnersDecision {
  /** Jobs that the queue needs. */
  readonly want: number
  /** Jobs that there are. Null: not known, and then nothing is done. */
  readonly have: number | null
  readonly create: number
  /** Isolated checks that get a pod now. */
  readonly isolate: readonly number[]
  readonly remove: readonly { readonly name: string; readonly why: RemovalReason }[]
  /** Names whose tokens have no Job any more. */
  readonly revoke: readonly string[]
}

/** The Jobs that one pass creates at most, so that a burst does not flood the cluster. */
const MAX_AT_ONCE = 5

/** A pod that has not started for this long is removed when there is no work for it. Most start sooner. */
const NOT_NEEDED_MS = 10_000

/**
 * Returns what is to be done about runner pods. Pods that run are not removed when they are too many: a runner without
 * work ends by itself, and is never ended in the middle of a check.
 */
export function decideRunners(seen: RunnersSeen): RunnersDecision {
  const { jobs, released, tokens, demand, slots, max } = seen
  const want = Math.min(max, Math.ceil((demand.due + demand.leased) / slots))
  if (jobs === null) return { want, have: null, create: 0, isolate: [], remove: [], revoke: [] }
  const unfinished = jobs.filter(({ isFinished, isDeleted }) => !isFinished && !isDeleted)
  const overdue = unfinished.flatMap((job) => removalOf(job, seen))
  const remove = [...overdue, ...notNeeded(unfinished, overdue, want, seen)]
  const gone = new Set(remove.map(({ name }) => name))
  const living = new Map<string, { readonly isIsolated: boolean }>(
    [...released, ...unfinished.map((job) => [job.name, job] as const)].filter(([name]) => !gone.has(name)),
  )
  const shared = [...living.values()].filter(({ isIsolated }) => !isIsolated).length
  const room = Math.min(MAX_AT_ONCE, Math.max(0, max - living.size))
  const missing = Math.min(room, Math.max(0, want - shared))
  // Neither kind keeps the other one out: each may have half of all pods, and a single one goes from kind to kind.
  const half = Math.floor((living.size + room + (seen.isIsolatedNext ? 1 : 0)) / 2)
  const fair = Math.min(room, Math.max(0, half - (living.size - shared)))
  const isolate = seen.isolated.slice(0, Math.max(room - missing, fair))
  return {
    want,
    have: shared,
    create: Math.min(missing, room - isolate.length),
    isolate,
    remove,
    revoke: tokens.filter((name) => !living.has(name)),
  }
}

function removalOf(
  { name, isSuspended }: RunnerJob,
  { released, waitingSince, nowMs, startMs }: RunnersSeen,
): RunnersDecision['remove'] {
  // The process that made it was killed before the Job had its token.
  if (isSuspended) return released.has(name) ? [] : [{ name, why: 'orphan' }]
  const since = waitingSince.get(name)
  return since !== undefined && nowMs - since > startMs ? [{ name, why: 'not_started' }] : []
}

/** Returns the Jobs without a running pod that are more than the checks need. */
function notNeeded(
  unfinished: readonly RunnerJob[],
  overdue: RunnersDecision['remove'],
  want: number,
  { waitingSince, nowMs }: RunnersSeen,
): RunnersDecision['remove'] {
  const shared = unfinished.filter(
    ({ name, isIsolated }) => !isIsolated && !overdue.some((removed) => removed.name === name),
  )
  return shared
    .filter(({ name }) => nowMs - (waitingSince.get(name) ?? nowMs) > NOT_NEEDED_MS)
    .slice(0, Math.max(0, shared.length - want))
    .map(({ name }) => ({ name, why: 'not_needed' }))
}
