import { describe, expect, test } from 'vitest'
import { beginningOf, beginningsOf, cut } from '../../../core/text/beginning.ts'

describe('the beginning of a value', () => {
  test.each([
    [null, 'nothing'],
    ['', 'empty text'],
    [' a\n b\u202e\u0007 ', 'a b'],
    [12.5, '12.5'],
    [['a', null], 'a, nothing'],
    [{ a: 1, b: 'x' }, 'a: 1, b: x'],
    ['0123456789', '0123456789'],
    ['0123456789a', '012345678…'],
    ['😀'.repeat(10), '😀'.repeat(10)],
    ['😀'.repeat(11), `${'😀'.repeat(9)}…`],
  ])('%j', (value, expected) => {
    expect(beginningOf(value, 10)).toBe(expected)
  })

  test('never has half of a character, wherever it is cut', () => {
    for (let length = 1; length < 60; length += 1)
      for (const lead of ['', 'a', 'ab']) expect(beginningOf(lead + '😀'.repeat(length), 20).isWellFormed()).toBe(true)
  })

  test('of a megabyte reads no more than it shows', () => {
    const large = { list: Array.from({ length: 100_000 }, () => 'x'.repeat(10)), text: 'y'.repeat(1_000_000) }
    const start = process.threadCpuUsage().user
    for (let n = 0; n < 100; n += 1) expect(cut(beginningOf(large, 80), 80).length).toBeLessThanOrEqual(80)
    expect((process.threadCpuUsage().user - start) / 1_000).toBeLessThan(500)
  })
})

describe('the beginnings of two values', () => {
  test('are those of the values where these differ there', () => {
    expect(beginningsOf('one', 'two', 80)).toEqual(['one', 'two'])
    expect(beginningsOf(['a'], null, 80)).toEqual(['a', 'nothing'])
  })

  test('begin shortly before the difference where it is behind them', () => {
    const [before, after] = beginningsOf(`${'x'.repeat(500)} was`, `${'x'.repeat(500)} is now`, 40)
    expect(before).toBe(`…${'x'.repeat(15)} was`)
    expect(after).toBe(`…${'x'.repeat(15)} is now`)
  })
})
