import { describe, expect, test } from 'vitest'
import { plottedSeries, shownStretches, type Step, stretchesOf, summaryOf } from '../../core/series.ts'

const step = (atMs: number, number: Step['number'], isChange = true): Step => ({
  atMs,
  runId: `run ${atMs}`,
  number,
  isChange,
})

describe('a plotted series', () => {
  test('has a point where the value becomes another one, and a mark for each change', () => {
    const steps = [step(10, 5, false), step(20, 7), step(30, undefined), step(40, null), step(50, 7)]
    const { points, marks } = plottedSeries({ atMs: 0, number: 5 }, steps, 500)
    expect(points.map(({ atMs, value, runId }) => [atMs, value, runId])).toEqual([
      [0, 5, null],
      [20, 7, 'run 20'],
      [40, null, 'run 40'],
      [50, 7, 'run 50'],
    ])
    expect(marks.map(({ atMs, count }) => [atMs, count])).toEqual([
      [20, 1],
      [30, 1],
      [40, 1],
      [50, 1],
    ])
  })

  test('has at most so many points, each with the last value and the range of its part', () => {
    const steps = Array.from({ length: 1_000 }, (_, nth) => step(nth * 10, nth % 2 === 0 ? nth : -nth))
    const { points, marks } = plottedSeries(null, steps, 10)
    expect(points).toHaveLength(10)
    expect(points[0]).toEqual({ atMs: 0, value: -99, min: -99, max: 98, runId: 'run 990' })
    expect(points.at(-1)).toEqual({ atMs: 9_000, value: -999, min: -999, max: 998, runId: 'run 9990' })
    expect(marks.map(({ count }) => count)).toEqual(Array.from({ length: 10 }, () => 100))
  })

  test('takes what is no number out of a range, and ends with it where it is the last', () => {
    const steps = [step(0, 1), step(1, null), step(2, 3), step(3, null)]
    expect(plottedSeries(null, steps, 1).points).toEqual([{ atMs: 0, value: null, min: 1, max: 3, runId: 'run 3' }])
  })

  test('is empty where nothing is known', () => {
    expect(plottedSeries(null, [step(1, undefined, false)], 500)).toEqual({ points: [], marks: [] })
  })
})

test('checks that fail for one reason are a stretch, which the next turn ends', () => {
  const turns = [
    { atMs: 1, code: null },
    { atMs: 2, code: 'timeout' },
    { atMs: 5, code: 'http_status' },
    { atMs: 7, code: null },
    { atMs: 9, code: 'timeout' },
  ]
  expect(stretchesOf(turns)).toEqual([
    { fromMs: 2, toMs: 5, code: 'timeout' },
    { fromMs: 5, toMs: 7, code: 'http_status' },
    { fromMs: 9, toMs: null, code: 'timeout' },
  ])
})

describe('the summary of a series', () => {
  const whole = { stretches: [], fromMs: 0, endMs: 100 }

  test('weighs each number by its time, and says for how long there was one', () => {
    const steps = [step(20, 4), step(50, null), step(90, 10)]
    expect(summaryOf({ atMs: 0, number: 1 }, steps, whole)).toEqual({
      least: 1,
      most: 10,
      mean: (20 * 1 + 30 * 4 + 10 * 10) / 60,
      share: 0.6,
    })
  })

  test('leaves out the time of failed checks, also that which has not ended', () => {
    const stretches = [
      { fromMs: 10, toMs: 20, code: 'blocked' },
      { fromMs: 20, toMs: 60, code: 'timeout' },
      { fromMs: 90, toMs: null, code: 'blocked' },
    ]
    const summary = summaryOf({ atMs: 0, number: 2 }, [step(50, 6)], { ...whole, stretches })
    expect(summary).toEqual({ least: 2, most: 6, mean: (10 * 2 + 30 * 6) / 40, share: 1 })
  })

  test('leaves out what was before all is known', () => {
    const steps = [step(20, 9), step(80, 3)]
    expect(summaryOf({ atMs: 0, number: 1 }, steps, { ...whole, fromMs: 60 })).toEqual({
      least: 3,
      most: 9,
      mean: 6,
      share: 1,
    })
  })

  test('counts numbers alike where the series has no time', () => {
    expect(summaryOf(null, [step(100, 2), step(100, 4)], whole)).toEqual({ least: 2, most: 4, mean: 3, share: 1 })
  })

  test('is null where there never was a number', () => {
    expect(summaryOf({ atMs: 0, number: null }, [step(10, undefined)], whole)).toBeNull()
  })
})

test('what is shown has a stretch from each turn to the next one, and none while nobody knows', () => {
  const turns = [
    { atMs: 1, runId: 'a', isShown: null },
    { atMs: 2, runId: 'b', isShown: true },
    { atMs: 3, runId: 'c', isShown: true },
    { atMs: 4, runId: 'd', isShown: null },
    { atMs: 6, runId: 'e', isShown: false },
  ]
  expect(shownStretches(turns)).toEqual([
    { fromMs: 2, toMs: 4, runId: 'b', isShown: true },
    { fromMs: 6, toMs: null, runId: 'e', isShown: false },
  ])
})
