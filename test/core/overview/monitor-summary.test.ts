import { describe, expect, test } from 'vitest'
import { type MonitorSummary, nextSummary, plottedField, shownValue } from '../../../core/overview/monitor-summary.ts'
import { pageChange } from '../../../core/overview/run-change.ts'
import type { Values } from '../../../schema/shape/json.ts'

const ORDER = ['title', 'price', 'stock']
const read = (last: MonitorSummary | null, values: Values, before: Values | null = null): MonitorSummary => {
  const fields = before === null ? [] : ORDER.filter((name) => values[name] !== before[name])
  const diff = before && fields.length > 0 ? { fields_changed: fields, before, after: values } : null
  return nextSummary(last, {
    runId: 'run',
    endedMs: 0,
    value: shownValue(values, ORDER),
    plotted: plottedField(values, ORDER, last),
    change: pageChange(diff, false),
  })
}

describe('the summary of a monitor', () => {
  test('has its first field, and the last change by its first field', () => {
    const first = { title: 'Kettle', price: '$20.00', stock: 3 }
    const second = { title: 'Kettle', price: '$18.00', stock: 2 }
    expect(read(read(null, first), second, first)).toEqual({
      value: { field: 'title', text: 'Kettle' },
      change: {
        run_id: 'run',
        at: '1970-01-01T00:00:00.000Z',
        field: 'price',
        before: '$20.00',
        after: '$18.00',
        more: 1,
      },
      spark: { field: 'price', points: [20, 18] },
    })
  })

  test('keeps the last change over a reading without one, as after an edit', () => {
    const changed = read(null, { title: 'b' }, { title: 'a' })
    expect(read(changed, { title: 'c' }).change).toEqual(changed.change)
  })

  test('has the last 24 numbers of one field; a value that is missing for a while ends nothing', () => {
    let summary = read(null, { price: '$0' })
    for (let price = 1; price < 40; price += 1) summary = read(summary, { price: `$${price}`, stock: price })
    const numbers = Array.from({ length: 24 }, (_, n) => 16 + n)
    expect(summary.spark).toEqual({ field: 'price', points: numbers })
    expect(read(summary, { price: null, stock: 5 }).spark).toEqual(summary.spark)
    expect(read(summary, { price: '$39' }).spark).toEqual(summary.spark)
  })

  test('has no value and no plot of the hash of a whole page, of prose and of lists', () => {
    expect(shownValue({ content_hash: 'ab12' }, ['content_hash'])).toBeNull()
    for (const price of ['since 2 May we are closed for 3 weeks', ['1', '2'], null, 'none', '1 to 2'])
      expect(read(null, { price }).spark).toBeNull()
  })
})

describe('the change of a page', () => {
  const CHANGED = { fields_changed: ['price'], before: { price: '$20' }, after: { price: '$15' } }

  test('has percents of amounts only', () => {
    const percentOf = (before: unknown, after: unknown) =>
      pageChange({ ...CHANGED, before: { price: before }, after: { price: after } }, false)?.fields[0]?.percent
    expect(percentOf('$20', '$15')).toBe(-25)
    expect(percentOf(3, 4)).toBe(33.33)
    for (const [before, after] of [
      ['$20', '€ 15'],
      [0, 4],
      ['24.20.1', '24.21.0'],
      ['5 %', '6 %'],
      [null, 4],
      ['2024', '2025'],
    ])
      expect(percentOf(before, after)).toBeNull()
  })

  test('has ten fields, and counts the others', () => {
    const names = Array.from({ length: 200 }, (_, n) => `f${n}`)
    const change = pageChange({ fields_changed: names, before: {}, after: {} }, false)
    expect(change?.fields).toHaveLength(10)
    expect(change?.more).toBe(190)
  })

  test('without fields is of the picture, and none where that did not change by its threshold', () => {
    expect(pageChange(null, true)).toEqual({ fields: [], more: 0 })
    expect(pageChange(null, false)).toBeNull()
  })
})
