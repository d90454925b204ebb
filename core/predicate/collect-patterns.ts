import type { DiffPredicate } from '../../schema/monitor/diff-predicate.ts'
import type { Judged } from './judged.ts'
import { createPatternMap } from './pattern-map.ts'
import { type PatternQuestion, questionOf } from './pattern-question.ts'

/**
 * Returns every pattern test that `fires` and `explain` may need for a difference, each once. There is at most one for
 * each leaf.
 */
export function collectPatterns(predicate: DiffPredicate, judged: Judged): readonly PatternQuestion[] {
  const known = createPatternMap<true>()
  const questions: PatternQuestion[] = []
  collect(predicate, judged, (question) => {
    if (known.get(question)) return
    known.set(question, true)
    questions.push(question)
  })
  return questions
}

function collect(predicate: DiffPredicate, judged: Judged, add: (question: PatternQuestion) => void): void {
  if (predicate.type === 'composite') {
    for (const condition of predicate.conditions) collect(condition, judged, add)
    return
  }
  const question = 'pattern' in predicate ? questionOf(predicate, judged) : null
  if (question !== null) add(question)
}
