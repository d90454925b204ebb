import { expect, test } from 'vitest'
import { firstIssues, joinPath, MAX_ISSUES } from '../../schema/validation/issue.ts'

const issues = (path: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({ path: joinPath(path, `k${index}`), message: 'is wrong' }))

test('all issues are shown up to a bound', () => {
  const all = issues('a', MAX_ISSUES)
  expect(firstIssues(all)).toEqual(all)
})

test('of too many issues each object shows its first ones, in their order', () => {
  const all = [...issues('deliveries[0]', 500), ...issues('deliveries[1]', 3), ...issues('', 2)]
  const shown = firstIssues(all)
  expect(shown).toHaveLength(MAX_ISSUES)
  expect(shown.slice(-5)).toEqual(all.slice(-5))
  expect(shown[0]).toEqual(all[0])
})
