import type { PatternQuestion } from './collect-patterns.ts'
import type { Matches } from './fires.ts'

/** Which patterns match which texts. */
export interface PatternResults {
  add(question: PatternQuestion, isMatch: boolean): void
  /** `unknown`: nothing was added. */
  readonly matches: Matches
}

/**
 * Creates results without a pattern. They are kept by text first: a text may have 256 KiB, and a key that joins it with
 * each of its patterns would be as long.
 */
export function createPatternResults(): PatternResults {
  const texts = new Map<string, Map<string, boolean>>()
  return {
    add({ pattern, text }, isMatch) {
      const patterns = texts.get(text) ?? new Map<string, boolean>()
      texts.set(text, patterns.set(pattern, isMatch))
    },
    matches: (pattern, text) => texts.get(text)?.get(pattern) ?? 'unknown',
  }
}
