import { afterEach, expect, test, vi } from 'vitest'
import { type Column, inLines, table, widthOf } from '../../cli/output.ts'

interface Row {
  readonly name: string
  readonly status: string
  readonly what: string
}
const columns: readonly Column<Row>[] = [
  { head: 'NAME', cell: ({ name }) => name },
  { head: 'STATUS', cell: ({ status }) => status },
  { head: 'WHAT', cell: ({ what }) => what },
]
const rows: readonly Row[] = [
  { name: 'kettle', status: 'active', what: 'The site answered with the status 503, which is an error of a server.' },
  { name: 'a pot', status: 'paused', what: '' },
]
afterEach(() => vi.unstubAllEnvs())

test('a table that has room has a line for each item', () => {
  const lines = table(process, columns, rows, 120).split('\n')
  expect(lines).toHaveLength(4)
  expect(lines[2]).toBe('a pot   paused')
})

test('on a narrow terminal the last column takes several lines, none longer than the terminal', () => {
  expect(table(process, columns, rows, 40)).toBe(
    [
      'NAME    STATUS  WHAT',
      'kettle  active  The site answered with',
      '                the status 503, which is',
      '                an error of a server.',
      'a pot   paused',
      '',
    ].join('\n'),
  )
})

test('a column of addresses is cut', () => {
  const cut = columns.map((column) => ({ ...column, isCut: column.head === 'WHAT' }))
  expect(table(process, cut, rows, 40).split('\n')[1]).toBe('kettle  active  The site answered with …')
})

test('on one that is narrower still, each item is a block of lines', () => {
  expect(table(process, columns, rows, 30)).toBe(
    [
      'NAME    kettle',
      'STATUS  active',
      'WHAT    The site answered with',
      '        the status 503, which',
      '        is an error of a',
      '        server.',
      '',
      'NAME    a pot',
      'STATUS  paused',
      '',
    ].join('\n'),
  )
})

test('letters of double width keep their columns', () => {
  const [, first, second] = table(process, columns, [
    { name: '青いケトル', status: 'active', what: 'x' },
    { name: 'e\u0301tui', status: 'active', what: 'x' },
  ]).split('\n')
  expect([first, second]).toEqual(['青いケトル  active  x', 'e\u0301tui        active  x'])
  expect(widthOf('青い')).toBe(4)
})

test('a word that is longer than a line is broken', () => {
  expect(inLines('see https://example.com/a', 10)).toEqual(['see', 'https://ex', 'ample.com/', 'a'])
  expect(inLines('', 10)).toEqual([''])
})
