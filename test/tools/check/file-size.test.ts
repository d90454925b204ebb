import { expect, test } from 'vitest'
import { fileSizeFaults } from '../../../tools/check/file-size.ts'

const file = (path: string, lines: number) => ({ path, text: 'const a = 1\n'.repeat(lines) })

test('a file of 300 lines passes, one of 301 does not', () => {
  expect(fileSizeFaults(file('core/a.ts', 300), {})).toEqual([])
  expect(fileSizeFaults(file('core/a.ts', 301), {})[0]).toContain('core/a.ts: 301 lines')
})

test('files of the dashboard are counted, styles among them', () => {
  for (const path of ['dashboard/src/a.tsx', 'dashboard/src/a.module.css'])
    expect(fileSizeFaults(file(path, 301), {})).toHaveLength(1)
})

test('a long file passes when it is listed with a reason', () => {
  expect(fileSizeFaults(file('core/a.ts', 301), { 'core/a.ts': 'one table' })).toEqual([])
})

test('what is not TypeScript may be longer', () => {
  expect(fileSizeFaults(file('docs/a.md', 4_000), {})).toEqual([])
})
