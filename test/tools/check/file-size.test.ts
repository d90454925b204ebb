import { expect, test } from 'vitest'
import { fileSizeFaults } from '../../../tools/check/file-size.ts'

const file = (path: string, lines: number) => ({ path, text: 'const a = 1\n'.repeat(lines) })

test('a file of 400 lines passes, one of 401 does not', () => {
  expect(fileSizeFaults(file('core/a.ts', 400), {})).toEqual([])
  expect(fileSizeFaults(file('core/a.ts', 401), {})[0]).toContain('core/a.ts: 401 lines')
})

test('a long file passes when it is listed with a reason', () => {
  expect(fileSizeFaults(file('core/a.ts', 401), { 'core/a.ts': 'one table' })).toEqual([])
})

test('what is not TypeScript may be longer', () => {
  expect(fileSizeFaults(file('docs/a.md', 4_000), {})).toEqual([])
})
