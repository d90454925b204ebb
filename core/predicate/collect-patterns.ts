import type { DiffPredicate } from '../../schema/monitor/diff-predicate.ts'
import type { Values } from '../../schema/shape/json.ts'
import { valueOf } from '../diff/diff-values.ts'
import { textOf } from './fires.ts'

/** A pattern and the text that it is tested on. */
interface PatternQuestion {
  readonly pattern: string
  readonly text: string
}

/**
 * Returns every pattern test that `fires` and `explain` may need for a new reading, each once. There is at most one for
 * each leaf.
 */
export function collectPatterns(predicate: DiffPredicate, after: Values): readonly PatternQuestion[] {
  const questions: PatternQuestion[] = []
  collect(predicate, after, questions)
  return questions
}

function collect(predicate: DiffPredicate, after: Values, questions: PatternQuestion[]): void {
  if (predicate.type === 'composite') {
    for (const condition of predicate.conditions) collect(condition, after, questions)
    return
  }
  if (predicate.type !== 'field_matches_regex') return
  const { pattern } = predicate
  const text = textOf(valueOf(after, predicate.field))
  if (text !== null && !questions.some((known) => known.pattern === pattern && known.text === text))
    questions.push({ pattern, text })
}
