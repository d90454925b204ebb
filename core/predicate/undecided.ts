import { PATTERN_LIMITS } from '../../schema/monitor/pattern-limits.ts'
import type { RunFault } from '../../schema/run/run-fault.ts'
import type { Undecided } from './judge.ts'

/**
 * Returns the fault of a run whose outcome depends on patterns of which nothing is known. It is the monitor's where its
 * own patterns are slow. Where one was not tried because of other teams or of a stop, the fault is internal: the run
 * does not count as a failure of the monitor.
 */
export function undecidedFault(undecided: readonly Undecided[]): RunFault {
  const [own] = undecided
  if (!own || !undecided.every(isOwn)) return { code: 'internal', message: NOT_TRIED }
  const message = `${whatOf(own)}, so it is unknown whether this change is one to tell; the next run looks again.`
  return { code: 'extract_timeout', message: `${message} ${adviceOf(own)}` }
}

/** Returns the warning of a run whose outcome is known without the pattern. */
export const decidedWithout = (one: Undecided): string =>
  `${whatOf(one)}; the outcome did not hang on it.${isOwn(one) ? ` ${adviceOf(one)}` : ''}`

const WHAT = {
  timeout: 'took too long',
  crowded:
    'was not tried, because too many patterns of this team were waiting ' +
    `(at most ${PATTERN_LIMITS.slow.perTeam} slow ones may)`,
  busy: 'was not tried, because too many patterns of all teams were waiting',
  stopped: 'was not tried, because the worker was stopping',
} as const satisfies Record<Undecided['why'], string>

const whatOf = ({ pattern, why }: Undecided) =>
  `The predicate's pattern ${JSON.stringify(pattern.slice(0, 100))} ${WHAT[why]}`

const isOwn = ({ why }: Undecided) => why === 'timeout' || why === 'crowded'

const adviceOf = ({ why }: Undecided) =>
  why === 'crowded' ? 'Simplify the patterns that take long.' : 'Simplify the pattern.'

const NOT_TRIED =
  'A pattern of the predicate could not be tried, because too many patterns of all teams were waiting or the worker ' +
  'was stopping. The next run looks again.'
