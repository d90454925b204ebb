import type { DiffPredicate } from '../../schema/monitor/diff-predicate.ts'
import type { Diff } from '../../schema/run/run.ts'
import type { Values } from '../../schema/shape/json.ts'
import { diffValues } from '../diff/diff-values.ts'
import { collectPatterns } from './collect-patterns.ts'
import { fires, type Truth } from './fires.ts'
import type { PageTexts, UnseenAges } from './judged.ts'
import type { PatternQuestion } from './pattern-question.ts'
import { createPatternResults } from './pattern-results.ts'

/** The result of comparing a reading with the baseline. */
interface Verdict {
  /** Null: there was no baseline, or nothing differs. */
  readonly diff: Diff | null
  /** Unknown: it depends on a pattern of which nothing is known. */
  readonly fired: Truth
  readonly undecided: readonly Undecided[]
}

/** Why it is not known whether a pattern matches: what `PatternMatcher` answers then. */
type Unanswered = 'timeout' | 'crowded' | 'busy' | 'stopped'

/** A pattern of which it is not known whether it matches, and why. */
export interface Undecided {
  readonly pattern: string
  readonly why: Unanswered
}

/** Returns whether a pattern matches, from a thread that can be killed. */
export type AskPattern = (question: PatternQuestion) => Promise<boolean | Unanswered>

/** What is compared, and the predicate that decides. */
interface Case {
  /** Null: this reading becomes the baseline, and nothing is sent. */
  readonly before: Values | null
  readonly after: Values
  /** The lists and numbers that only the last readings lacked (`vanished`, `lastNumbers`). Null: there are none. */
  readonly lists?: Values | null
  /** As in `Judged`. */
  readonly unseen?: UnseenAges | undefined
  readonly page?: PageTexts | undefined
  /** The order in which differences are listed: that of extract_config. */
  readonly order: readonly string[]
  readonly predicate: DiffPredicate
}

/** Each pattern has its own time limit. After this many without an answer a check tries no further patterns. */
export const MAX_UNDECIDED = 3

/**
 * Compares, then decides: for a run, and for a trial of a predicate. Patterns are asked for first, and only if the
 * other conditions leave the result open. If a pattern takes too long or is not tried, it is unknown whether it
 * matches. It is never treated as false, because a change would be lost.
 */
export async function judge(
  { before, after, lists = null, unseen, page, order, predicate }: Case,
  askPattern: AskPattern,
): Promise<Verdict> {
  const diff = before === null ? null : diffValues(before, after, order)
  if (before === null || diff === null) return { diff: null, fired: false, undecided: [] }
  const tried = createPatternResults()
  const undecided: Undecided[] = []
  const judged = { diff, before, after, lists, unseen, page }
  const outcome = () => fires(predicate, judged, tried.matches)
  const withoutPatterns = outcome()
  if (withoutPatterns !== 'unknown') return { diff, fired: withoutPatterns, undecided }
  for (const question of collectPatterns(predicate, judged)) {
    const result = await askPattern(question)
    if (typeof result === 'boolean') tried.add(question, result)
    else if (undecided.push({ pattern: question.pattern, why: result }) === MAX_UNDECIDED) break
  }
  return { diff, fired: outcome(), undecided }
}
