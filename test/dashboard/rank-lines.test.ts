import { describe, expect, test } from 'vitest'
import { crossingsOf } from '../../dashboard/src/monitor/crossings.ts'
import { summaryWords } from '../../dashboard/src/monitor/series-view.ts'
import { byKeyword } from '../../dashboard/src/searches/by-keyword.ts'
import { columnsOfLines, rankAt, stopsOfLines, timeOf } from '../../dashboard/src/searches/rank-lines.ts'

type Line = Parameters<typeof columnsOfLines>[0][number]

const at = (minute: number) => new Date(minute * 60_000).toISOString()

const lineOf = (
  points: readonly (readonly [minute: number, rank: number | null])[],
  { from = points[0]?.[0] ?? 0, failures = [] as readonly (readonly [from: number, to: number | null])[] } = {},
): Line => ({
  id: 'a',
  name: 'Google',
  tone: 0,
  series: {
    field: 'rank',
    fields: ['rank'],
    from: at(from),
    to: at(60),
    points: points.map(([minute, value]) => ({ at: at(minute), value, min: value, max: value, run_id: null })),
    changes: [],
    failures: failures.map(([begin, end]) => ({
      from: at(begin),
      to: end === null ? null : at(end),
      error_code: 'blocked',
    })),
    summary: null,
    known_from: at(from),
  },
})

describe('several lines in one plot', () => {
  const first = lineOf([
    [0, 9],
    [20, null],
    [40, 4],
  ])
  const second = lineOf([[5, 3]], { failures: [[30, 35]] })

  test('have each rank until the next one of its line, whatever the others have', () => {
    const [instants, ranks, others] = columnsOfLines([first, second])
    const column = (values: readonly (number | null)[] = []) =>
      Object.fromEntries(instants.map((second_, nth) => [second_ / 60, values[nth]]))
    expect(column(ranks)).toMatchObject({ 0: 9, 5: 9, 20: null, 30: null, 35: null, 40: 4, 60: 4 })
    expect(column(others)).toMatchObject({ 0: null, 5: 3, 20: 3, 35: 3, 40: 3, 60: 3 })
    // The line goes up to the first moment of a failure, and is a gap behind it.
    expect(column(others)[30]).toBe(3)
    expect(others?.filter((rank) => rank === null)).toHaveLength(2)
  })

  test('are read at all their stops, and lie in the time of all of them', () => {
    expect(stopsOfLines([first, second]).map((stop) => stop / 60_000)).toEqual([0, 5, 20, 30, 40])
    expect(timeOf([second, first])).toEqual([at(0), at(60)])
  })

  test('say at an instant what the rank was, that nobody knows it, or that there was no check yet', () => {
    const said = [0, 25, 45].map((minute) => rankAt(first.series, minute * 60_000))
    expect(said).toEqual(['#9', 'not listed', '#4'])
    expect([1, 32, 36].map((minute) => rankAt(second.series, minute * 60_000))).toEqual([
      'not checked yet',
      'not known',
      '#3',
    ])
  })

  test('have a mark where a site entered the results and where it left them', () => {
    expect(crossingsOf(first.series.points)).toEqual([
      { at: at(20), kind: 'left', rank: 9 },
      { at: at(40), kind: 'entered', rank: 4 },
    ])
  })
})

test('the numbers of a series are said in short, ranks with their sign', () => {
  const summary = { least: 2, most: 9, mean: 4.26, share: 0.5 }
  expect(summaryWords({ field: 'rank', summary })).toEqual([
    'best #2',
    'worst #9',
    'mean #4.3',
    'listed 50% of the time',
  ])
  expect(summaryWords({ field: 'price', summary: { ...summary, share: 1 } })).toEqual([
    'lowest 2',
    'highest 9',
    'mean 4.26',
  ])
  expect(summaryWords({ field: 'price', summary: null })).toEqual([])
})

test('searches of one keyword are one group, each of them once, and keywords of another case are others', () => {
  const row = (id: string, keyword: string | null) => ({ id, search: keyword === null ? null : { keyword } }) as never
  const rows = [row('1', 'kettle'), row('2', 'Kettle'), row('3', 'shoes'), row('3', 'shoes'), row('4', 'shoes')]
  const groups = byKeyword([...rows, row('5', null)])
  expect(groups.map(({ keyword, rows: of }) => [keyword, of.map(({ id }) => id)])).toEqual([
    ['kettle', ['1']],
    ['Kettle', ['2']],
    ['shoes', ['3', '4']],
  ])
})
