import type { DiffPredicate } from '../../schema/monitor/diff-predicate.ts'
import type { Values } from '../../schema/shape/json.ts'
import { textOf } from './fires.ts'

/** A pattern and the text that it is tested on. */
export interface PatternQuestion {
  readonly pattern: string
  readonly text: string
}

/**
 * Returns every pattern test that `fires` and `explain` may need for a new reading, each once. There is at most one for
 * each leaf.
 */
export function collectPatterns(predicate: DiffPredicate, after: Values): readonly PatternQuestion[] {
  const texts = new Map<string, Set<string>>()
  const questions: PatternQuestion[] = []
  collect(predicate, after, (question) => {
    const known = texts.get(question.text) ?? new Set<string>()
    texts.set(question.text, known)
    if (known.has(question.pattern)) return
    known.add(question.pattern)
    questions.push(question)
  })
  return questions
}

function collect(predicate: DiffPredicate, after: Values, add: (question: PatternQuestion) => void): void {
  if (predicate.type === 'composite') {
    for (const condition of predicate.conditions) collect(condition, after, add)
    return
  }
  if (predicate.type !== 'field_matches_regex') return
  const text = textOf(after, predicate.field)
  if (text !== null) add({ pattern: predicate.pattern, text })
}
