import type { PatternQuestion } from '../../core/predicate/pattern-question.ts'

/** Tests an untrusted pattern on untrusted text. It runs in a thread that is terminated when it takes too long. */
export function matchPattern({ pattern, text, byLine }: PatternQuestion): boolean {
  const tested = new RegExp(pattern)
  return byLine ? text.split('\n').some((line) => tested.test(line)) : tested.test(text)
}
