import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createOutage } from '../../../concurrency/loops/outage.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

class AwayError extends Error {}

function openOutage() {
  const lines: { message: string; fields: object }[] = []
  const write = (fields: object, message: string) => void lines.push({ message, fields })
  const outage = createOutage({
    what: 'the store',
    log: { error: write, warn: write },
    isAway: (error) => error instanceof AwayError,
    reasonOf: String,
  })
  return { outage, lines, messages: () => lines.map(({ message }) => message) }
}

test('one line is written when it goes, one a minute, and one when it is back, with counts of what failed', () => {
  const { outage, lines, messages } = openOutage()
  for (let second = 0; second < 150; second++) {
    expect(outage.covers(new AwayError('refused'), second % 3 === 0 ? 'requests' : 'claims')).toBe(true)
    vi.advanceTimersByTime(1_000)
  }
  expect(messages()).toEqual([
    'the store is away; what needs it waits or is refused',
    'the store is still away',
    'the store is still away',
  ])
  expect(outage.isAway).toBe(true)
  outage.answered()
  vi.advanceTimersByTime(4_000)
  expect(messages().at(-1)).toBe('the store is back')
  expect(lines.at(-1)?.fields).toEqual({ away_seconds: 149, failed: { requests: 50, claims: 100 } })
  expect(outage).toMatchObject({ isAway: false, failures: 150 })
  expect(vi.getTimerCount()).toBe(0)
})

test('answers and errors that alternate while connections recover do not tell of it twice', () => {
  const { outage, messages } = openOutage()
  for (let n = 0; n < 20; n++) {
    outage.covers(new AwayError('reset'), 'claims')
    outage.answered()
    vi.advanceTimersByTime(300)
  }
  expect(messages()).toHaveLength(1)
  outage.answered()
  vi.advanceTimersByTime(4_000)
  expect(messages()).toHaveLength(2)
})

test('it is not back only because nobody asks', () => {
  const { outage, messages } = openOutage()
  outage.covers(new AwayError('refused'), 'requests')
  vi.advanceTimersByTime(30_000)
  expect(messages()).toHaveLength(1)
})

test('another error is not covered, and an answer without an outage writes nothing', () => {
  const { outage, messages } = openOutage()
  expect(outage.covers(new Error('a bug'), 'requests')).toBe(false)
  outage.answered()
  vi.advanceTimersByTime(60_000)
  expect(messages()).toEqual([])
})
