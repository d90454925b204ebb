import type { DiffPredicate } from '../../schema/monitor/diff-predicate.ts'
import type { Issue } from '../../schema/validation/issue.ts'

/** Returns the issue of a predicate with more conditions than `work`, as in `a backtest`, tries; otherwise none. */
export function tooManyConditions(predicate: DiffPredicate, work: string, most: number): Issue[] {
  const count = countConditions(predicate)
  if (count <= most) return []
  return [{ path: 'diff_predicate', message: `has ${count} conditions; ${work} tries at most ${most}` }]
}

function countConditions(predicate: DiffPredicate): number {
  if (predicate.type !== 'composite') return 1
  return predicate.conditions.reduce((sum, condition) => sum + countConditions(condition), 0)
}
