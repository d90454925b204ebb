import { expect, test } from 'vitest'
import { createSpeeds } from '../../../concurrency/gates/speed.ts'

test('the mean follows the last times; of what never ended there is none', () => {
  const speeds = createSpeeds<string>()
  expect(speeds.mean('a')).toBeUndefined()
  speeds.took('a', 1_000)
  expect(speeds.mean('a')).toBe(1_000)
  for (let n = 0; n < 50; n++) speeds.took('a', 0)
  expect(speeds.mean('a')).toBeLessThan(10)
  expect(speeds.mean('a')).toBeGreaterThanOrEqual(1)
})

test('a key is slow from the first time that it took so long on, until one that is quick', () => {
  const speeds = createSpeeds<number>({ slowMs: 5_000 })
  expect(speeds.of(1)).toBe('unknown')
  speeds.took(1, 4_999)
  speeds.took(2, 5_000)
  expect([speeds.of(1), speeds.of(2)]).toEqual(['quick', 'slow'])
  speeds.took(2, 10)
  expect(speeds.of(2)).toBe('quick')
})

test('where more is asked for, who was slow makes good with five quick ones in a row, and not with fewer', () => {
  const speeds = createSpeeds<number>({ slowMs: 200, toMakeGood: 5 })
  speeds.took(1, 1)
  expect(speeds.of(1)).toBe('quick')
  speeds.took(1, 200)
  for (const ms of [1, 1, 1, 1, 201, 1, 1, 1, 1]) {
    speeds.took(1, ms)
    expect(speeds.of(1)).toBe('slow')
  }
  speeds.took(1, 1)
  expect(speeds.of(1)).toBe('quick')
})

test('beyond so many keys the oldest is forgotten', () => {
  const speeds = createSpeeds<number>({ slowMs: 200, mostRemembered: 100 })
  for (let key = 0; key <= 100; key++) speeds.took(key, 1)
  expect([speeds.of(0), speeds.of(1), speeds.of(100)]).toEqual(['unknown', 'quick', 'quick'])
})

test('where only slow keys are remembered, no number of quick ones pushes them out', () => {
  const speeds = createSpeeds<number>({ slowMs: 200, mostRemembered: 100, onlySlow: true })
  speeds.took(0, 200)
  for (let key = 1; key <= 1_000; key++) speeds.took(key, 1)
  expect([speeds.of(0), speeds.of(1)]).toEqual(['slow', 'unknown'])
  for (let key = 1; key <= 100; key++) speeds.took(key, 200)
  expect([speeds.of(0), speeds.of(1), speeds.of(100)]).toEqual(['unknown', 'slow', 'slow'])
})
