import { afterAll, expect, test } from 'vitest'
import { type AskPattern, judge } from '../../../core/predicate/judge.ts'
import { createPatternMatcher } from '../../../runners/pattern/pattern-matcher.ts'
import type { DiffPredicate } from '../../../schema/monitor/diff-predicate.ts'

const matcher = createPatternMatcher({ timeoutMs: 250 })
afterAll(() => matcher.close())

const asks = (pattern: string): DiffPredicate => ({ type: 'field_matches_regex', field: 'f', pattern })
const either = (...conditions: DiffPredicate[]): DiffPredicate => ({ type: 'composite', operator: 'OR', conditions })
const both = (...conditions: DiffPredicate[]): DiffPredicate => ({ type: 'composite', operator: 'AND', conditions })
const CHANGED: DiffPredicate = { type: 'field_changes', field: 'f' }
/** None of these comes to an end on the new value. */
const SLOW = ['^(a+)+$', '^(a+)+b$', '^(a+)+c$', '^(a+)+d$'] as const

async function judged(predicate: DiffPredicate) {
  const tried: string[] = []
  const ask: AskPattern = (question) => (tried.push(question.pattern), matcher.matches(question, { key: 'a team' }))
  const after = { f: `${'a'.repeat(40)}!` }
  const change = { before: { f: 'x' }, after, order: ['f'], predicate }
  const { fired, undecided } = await judge(change, ask)
  return { fired, timedOut: undecided.map(({ pattern }) => pattern), tried }
}

test('patterns after one that timed out are tried, and decide where they can', async () => {
  const [evil] = SLOW
  const timedOut = [evil]
  expect(await judged(either(asks(evil), asks('!')))).toEqual({ fired: true, timedOut, tried: [evil, '!'] })
  expect(await judged(both(asks(evil), asks('x')))).toEqual({ fired: false, timedOut, tried: [evil, 'x'] })
  expect(await judged(either(asks(evil), asks('x')))).toMatchObject({ fired: 'unknown', timedOut })
  expect(await judged(both(asks(evil), asks('!')))).toMatchObject({ fired: 'unknown', timedOut })
})

test('no pattern is tried where the other conditions decide', async () => {
  expect(await judged(either(asks(SLOW[0]), CHANGED))).toEqual({ fired: true, timedOut: [], tried: [] })
})

test('after three that timed out no more are tried; what hangs on those is unknown', async () => {
  const timedOut = SLOW.slice(0, 3)
  expect(await judged(either(...SLOW.map(asks), asks('!')))).toEqual({ fired: 'unknown', timedOut, tried: timedOut })
})
