import type { Matches } from './fires.ts'
import { createPatternMap } from './pattern-map.ts'
import type { PatternQuestion } from './pattern-question.ts'

/** Which patterns match which texts. */
export interface PatternResults {
  add(question: PatternQuestion, isMatch: boolean): void
  /** `unknown`: nothing was added. */
  readonly matches: Matches
}

/** Creates results without a pattern. */
export function createPatternResults(): PatternResults {
  const known = createPatternMap<boolean>()
  return { add: known.set, matches: (question) => known.get(question) ?? 'unknown' }
}
