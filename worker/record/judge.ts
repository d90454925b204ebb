import { diffValues } from '../../core/diff/diff-values.ts'
import { collectPatterns } from '../../core/predicate/collect-patterns.ts'
import { fires } from '../../core/predicate/fires.ts'
import type { Truth } from '../../core/predicate/leaf.ts'
import type { DiffPredicate } from '../../schema/monitor/diff-predicate.ts'
import type { Values } from '../../schema/shape/json.ts'
import type { Diff } from '../../schema/run/run.ts'
import type { PatternMatcher } from '../../runners/pattern/pattern-matcher.ts'

/** The result of comparing a reading with the baseline. */
interface Verdict {
  /** Null: there was no baseline, or nothing differs. */
  readonly diff: Diff | null
  /** Unknown: it depends on a pattern that took too long. */
  readonly fired: Truth
  /** The patterns that took too long. */
  readonly slow: readonly string[]
}

/** What is compared, and the predicate that decides. */
interface Case {
  /** Null: this reading becomes the baseline, and nothing is sent. */
  readonly before: Values | null
  readonly after: Values
  /** The order in which differences are listed: that of extract_config. */
  readonly order: readonly string[]
  readonly predicate: DiffPredicate
}

/** Each pattern has its own time limit. After this many timeouts a check tries no further patterns. */
const MOST_SLOW = 3

/**
 * Compares, then decides. Patterns are tried first, in a thread that can be killed, and only if the other conditions
 * leave the result open. If a pattern takes too long, it is unknown whether it matches. It is never treated as false,
 * because a change would be lost.
 */
export async function judge({ before, after, order, predicate }: Case, patterns: PatternMatcher): Promise<Verdict> {
  const diff = before === null ? null : diffValues(before, after, order)
  if (before === null || diff === null) return { diff: null, fired: false, slow: [] }
  const matched = new Map<string, boolean>()
  const slow: string[] = []
  const outcome = () =>
    fires(predicate, { diff, before, after }, (pattern, text) => matched.get(keyOf(pattern, text)) ?? 'unknown')
  if (outcome() !== 'unknown') return { diff, fired: outcome(), slow }
  for (const { pattern, text } of collectPatterns(predicate, after)) {
    const result = await patterns.matches(pattern, text)
    if (result !== 'timeout') matched.set(keyOf(pattern, text), result)
    else if (slow.push(pattern) === MOST_SLOW) break
  }
  return { diff, fired: outcome(), slow }
}

const keyOf = (pattern: string, text: string) => JSON.stringify([pattern, text])
