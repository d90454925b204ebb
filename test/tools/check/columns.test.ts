import { expect, test } from 'vitest'
import { columnFaults } from '../../../tools/check/columns.ts'

const file = (path: string, width: number) => ({ path, text: `short\n${'é'.repeat(width)}\n` })

test('a line of 120 characters passes, one of 121 does not', () => {
  expect(columnFaults(file('core/a.ts', 120))).toEqual([])
  expect(columnFaults(file('core/a.ts', 121))).toEqual(['core/a.ts:2: 121 columns, more than 120'])
})

test.each(['store/migrations/a.sql', 'crds/a.yaml'])('%s is looked at, too', (path) => {
  expect(columnFaults(file(path, 121))).toHaveLength(1)
})

test('a page of docs may be wider', () => {
  expect(columnFaults(file('docs/a.md', 400))).toEqual([])
})
