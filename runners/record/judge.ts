import { diffValues } from '../../core/diff/diff-values.ts'
import { collectPatterns } from '../../core/predicate/collect-patterns.ts'
import { fires } from '../../core/predicate/fires.ts'
import type { DiffPredicate } from '../../schema/diff-predicate.ts'
import type { Values } from '../../schema/json.ts'
import type { Diff } from '../../schema/run.ts'
import type { PatternMatcher } from '../pattern/pattern-matcher.ts'

/** What comparing a reading with the baseline came to. */
export interface Verdict {
  /** Null: there was no baseline, or nothing differs. */
  readonly diff: Diff | null
  readonly fired: boolean
  readonly warnings: readonly string[]
}

/** What is compared, and by which rule it is judged. */
export interface Case {
  /** Null: this reading becomes the baseline, silently (spec, Diff predicate: the first run never fires). */
  readonly before: Values | null
  readonly after: Values
  /** The order in which differences are told: that of extract_config. */
  readonly order: readonly string[]
  readonly predicate: DiffPredicate
}

/** diff → decide. Patterns are tried beforehand in a thread that can be killed; one that takes too long does not match, and the run says so. */
export async function judge({ before, after, order, predicate }: Case, patterns: PatternMatcher): Promise<Verdict> {
  const diff = before === null ? null : diffValues(before, after, order)
  if (before === null || diff === null) return { diff: null, fired: false, warnings: [] }
  const matched = new Map<string, boolean>()
  const warnings: string[] = []
  for (const { pattern, text } of collectPatterns(predicate, after)) {
    // One that takes too long has used what a check may take: those after it are not tried.
    const result = warnings.length > 0 ? false : await patterns.matches(pattern, text)
    if (result === 'timeout') warnings.push(tooLong(pattern))
    matched.set(keyOf(pattern, text), result === true)
  }
  const matches = (pattern: string, text: string) => matched.get(keyOf(pattern, text)) ?? false
  return { diff, fired: fires(predicate, { diff, before, after }, matches), warnings }
}

const tooLong = (pattern: string) =>
  `The pattern ${JSON.stringify(pattern.slice(0, 100))} of the predicate took too long; it and those after it were taken as not matching. Simplify it.`

const keyOf = (pattern: string, text: string) => JSON.stringify([pattern, text])
