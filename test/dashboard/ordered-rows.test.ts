import { describe, expect, test } from 'vitest'
import type { Overview } from '../../dashboard/src/api/types.ts'
import { OrderedRows } from '../../dashboard/src/monitors/ordered-rows.ts'

const SIZE = 3
const rowOf = (name: string) => ({ id: name, name }) as unknown as Overview['data'][number]
/** Returns a window of a list, as the API answers it. */
const windowOf = (names: string, total: number): Overview => ({
  data: names.split('').map(rowOf),
  pagination: { page: 1, limit: SIZE, total, totalPages: Math.ceil(total / SIZE), hasMore: false },
})
const shown = (rows: OrderedRows) =>
  Array.from({ length: rows.count }, (_, place) => rows.at(place)?.id ?? '.').join('')

function listOf(...windows: readonly Overview[]) {
  const rows = new OrderedRows(SIZE)
  for (const [nth, window] of windows.entries()) rows.take('', nth + 1, window)
  return rows
}

describe('The rows of a list', () => {
  test('stay where they are when others move, until they are sorted again', () => {
    const rows = listOf(windowOf('abc', 3))
    rows.take('', 1, windowOf('cab', 3))
    expect([shown(rows), rows.moved]).toEqual(['abc', 3])
    rows.sortAgain()
    expect([shown(rows), rows.moved]).toEqual(['cab', 0])
  })

  test('show a new one behind the others, and none twice', () => {
    const rows = listOf(windowOf('bc', 2))
    rows.take('', 1, windowOf('abc', 3))
    expect([shown(rows), rows.moved]).toEqual(['bca', 3])
    rows.sortAgain()
    expect(shown(rows)).toBe('abc')
  })

  test('stay when one is deleted, which is shown until then, and none is lost', () => {
    const rows = listOf(windowOf('abc', 3))
    rows.take('', 1, windowOf('bc', 2))
    expect(shown(rows)).toBe('abc')
    expect(rows.moved).toBeGreaterThan(0)
    rows.sortAgain()
    expect([shown(rows), rows.moved]).toEqual(['bc', 0])
  })

  test('are each once where one moved to the top before the next window was read', () => {
    const rows = listOf(windowOf('abc', 6))
    // f has changed: c is the first of the second window now, where d, e and f stood.
    rows.take('', 2, windowOf('cde', 6))
    expect(
      shown(rows)
        .split('')
        .filter((id) => id === 'c'),
    ).toHaveLength(1)
    rows.take('', 1, windowOf('fab', 6))
    expect(shown(rows).split('').toSorted().join('')).toBe('abcdef')
    rows.sortAgain()
    expect(shown(rows)).toBe('fabcde')
  })

  test('of another list replace all', () => {
    const rows = listOf(windowOf('abc', 3))
    rows.take('q=x', 1, windowOf('x', 1))
    expect([rows.key, shown(rows)]).toEqual(['q=x', 'x'])
  })
})
