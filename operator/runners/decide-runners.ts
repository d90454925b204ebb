import type { RunnerJob } from './runner-job.ts'

/** What the spawner knows at one moment. */
interface RunnersSeen {
  /** Its Jobs. Null: the copy of the cluster is not complete, or is out of date. */
  readonly jobs: readonly RunnerJob[] | null
  /** Names of Jobs that were released a moment ago. The copy may not show them yet, or still show them suspended. */
  readonly released: ReadonlySet<string>
  /** The names that live tokens are bound to. */
  readonly tokens: readonly string[]
  /** Checks of the browser queue that are due, and those that runners have leased. */
  readonly demand: { readonly due: number; readonly leased: number }
  readonly slots: number
  readonly max: number
  readonly nowMs: number
  /** A pod that is not running this long after its Job began does not start. */
  readonly startMs: number
}

/** What is to be done. */
export interface RunnersDecision {
  /** Jobs that the queue needs. */
  readonly want: number
  /** Jobs that there are. Null: not known, and then nothing is done. */
  readonly have: number | null
  readonly create: number
  readonly remove: readonly { readonly name: string; readonly why: 'orphan' | 'not_started' }[]
  /** Names whose tokens have no Job any more. */
  readonly revoke: readonly string[]
}

/** The Jobs that one pass creates at most, so that a burst does not flood the cluster. */
const MOST_AT_ONCE = 5

/**
 * Returns what is to be done about runner pods. Pods that are too many are not removed: a runner without work ends by
 * itself, and is never ended in the middle of a check.
 */
export function decideRunners(seen: RunnersSeen): RunnersDecision {
  const { jobs, released, tokens, demand, slots, max } = seen
  const want = Math.min(max, Math.ceil((demand.due + demand.leased) / slots))
  if (jobs === null) return { want, have: null, create: 0, remove: [], revoke: [] }
  const unfinished = jobs.filter(({ isFinished, isDeleted }) => !isFinished && !isDeleted)
  const remove = unfinished.flatMap((job) => removalOf(job, seen))
  const gone = new Set(remove.map(({ name }) => name))
  const living = new Set([...released, ...unfinished.map(({ name }) => name)].filter((name) => !gone.has(name)))
  return {
    want,
    have: living.size,
    create: Math.min(MOST_AT_ONCE, Math.max(0, want - living.size)),
    remove,
    revoke: tokens.filter((name) => !living.has(name)),
  }
}

function removalOf(
  { name, isSuspended, isReady, startedMs }: RunnerJob,
  { released, nowMs, startMs }: RunnersSeen,
): RunnersDecision['remove'] {
  // Whoever made it was killed before it had its token.
  if (isSuspended) return released.has(name) ? [] : [{ name, why: 'orphan' }]
  if (!isReady && startedMs !== null && nowMs - startedMs > startMs) return [{ name, why: 'not_started' }]
  return []
}
