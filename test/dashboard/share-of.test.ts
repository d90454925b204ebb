import { expect, test } from 'vitest'
import { shareOf } from '../../dashboard/src/live/share-of.ts'

const tab = (name: string, count: number) => Array.from({ length: count }, (_, nth) => `${name}${nth}`)

test('A stream watches the first monitors of each tab, however many another one shows', () => {
  const ids = shareOf([tab('long', 300), tab('short', 3), [], tab('other', 60)], 100)
  expect(ids).toHaveLength(100)
  for (const id of tab('short', 3)) expect(ids).toContain(id)
  const counts = ['long', 'other'].map((name) => ids.filter((id) => id.startsWith(name)).length)
  expect(counts).toEqual([49, 48])
})

test('A monitor that several tabs show is watched once', () => {
  expect(shareOf([tab('a', 3), tab('a', 2), tab('b', 2)], 4)).toEqual(['a0', 'b0', 'a1', 'b1'])
  expect(shareOf([], 100)).toEqual([])
})
