import { expect, test } from 'vitest'
import { findMatches } from '../../../runners/extract/matches/find-matches.ts'
import { usedMs } from './candidates/corpus-clicks.ts'

const page = (body: string) => ({
  body: Buffer.from(`<!doctype html><body>${body}`),
  contentType: 'text/html',
  url: 'https://shop.example/',
})
const find = (body: string, rule: string) => findMatches(page(body), { method: 'css', fields: { a: rule } })

test('Each match is counted among the elements around it', () => {
  expect(find('one<b>1</b><p>two<b>2</b>three<i></i><b>3</b></p>', 'b')).toEqual([
    {
      name: 'a',
      count: 3,
      paths: [
        [0, 1, 0],
        [0, 1, 1, 0],
        [0, 1, 1, 2],
      ],
    },
  ])
})

test('A thousand matches among 100,000 siblings cost far less than a thousand times one', () => {
  const body = `${'<i></i>'.repeat(99_000)}${'<b></b>'.repeat(1_000)}`
  const cost = (rule: string) => {
    const before = usedMs()
    const [found] = find(body, rule)
    return { count: found?.count, last: found?.paths.at(-1), ms: usedMs() - before }
  }
  cost('b:first-of-type')
  const one = cost('b:last-of-type')
  const all = cost('b')
  expect([one.count, all.count]).toEqual([1, 1_000])
  expect([one.last, all.last]).toEqual([
    [0, 1, 99_999],
    [0, 1, 99_999],
  ])
  expect(all.ms).toBeLessThan(10 * one.ms)
})
