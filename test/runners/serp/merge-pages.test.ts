import { expect, test } from 'vitest'
import { mergePages } from '../../../runners/serp/merge-pages.ts'

test('Results without a known address differ by title and site', () => {
  const hidden = (title: string) => ({
    title,
    url: 'https://a.example/',
    domain: 'a.example',
    description: null,
    isUrlKnown: false,
  })
  const { results, pageEnds } = mergePages([{ results: [hidden('x'), hidden('y')] }, { results: [hidden('x')] }])
  expect(results.map(({ position, title }) => [position, title])).toEqual([
    [1, 'x'],
    [2, 'y'],
  ])
  expect(pageEnds).toEqual([2, 2])
})
