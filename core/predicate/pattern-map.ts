import type { PatternQuestion } from './pattern-question.ts'

/** What is known of patterns on texts. */
interface PatternMap<T> {
  get(question: PatternQuestion): T | undefined
  set(question: PatternQuestion, known: T): void
}

/**
 * Creates a map without a question. It looks up the text first: a text may have 256 KiB, and a key that joins it with
 * each of its patterns would be as long.
 */
export function createPatternMap<T>(): PatternMap<T> {
  const [whole, byLine] = [new Map<string, Map<string, T>>(), new Map<string, Map<string, T>>()]
  const textsOf = (question: PatternQuestion) => (question.byLine ? byLine : whole)
  return {
    get: (question) => textsOf(question).get(question.text)?.get(question.pattern),
    set(question, known) {
      const texts = textsOf(question)
      const patterns = texts.get(question.text) ?? new Map<string, T>()
      texts.set(question.text, patterns.set(question.pattern, known))
    },
  }
}
