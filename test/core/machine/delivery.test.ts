import { describe, expect, test } from 'vitest'
import { afterAttempt, MAX_ATTEMPTS, outcomeOf } from '../../../core/machine/delivery.ts'

const NOW = Date.UTC(2026, 4, 1, 12)
const MINUTE = 60_000

describe('an attempt', () => {
  test('that succeeds ends the delivery, whichever it was', () => {
    for (let attempts = 1; attempts <= MAX_ATTEMPTS; attempts++)
      expect(afterAttempt({ attempts, outcome: 'success', now: NOW })).toEqual({
        status: 'success',
        next_attempt_at: null,
        retry_after_seconds: null,
      })
  })

  test('that is refused with a 4xx is final: failed, with no next attempt', () => {
    for (let attempts = 1; attempts <= MAX_ATTEMPTS; attempts++)
      expect(afterAttempt({ attempts, outcome: 'client_error', now: NOW })).toEqual({
        status: 'failed',
        next_attempt_at: null,
        retry_after_seconds: null,
      })
  })

  test.each(['server_error', 'no_answer', 'redirect'] as const)(
    'that ends in %s is followed after 5, 15, 30, 60 and 120 minutes, and the sixth is the last',
    (outcome) => {
      const after = [1, 2, 3, 4, 5, 6].map((attempts) => afterAttempt({ attempts, outcome, now: NOW }))
      expect(after.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed', 'failed', 'failed', 'dead'])
      expect(after.map(({ next_attempt_at: at }) => at && (at - NOW) / MINUTE)).toEqual([5, 15, 30, 60, 120, null])
      expect(after.map(({ retry_after_seconds }) => retry_after_seconds)).toEqual([300, 900, 1800, 3600, 7200, null])
    },
  )

  test.each([
    [200, 'success'],
    [204, 'success'],
    [299, 'success'],
    [300, 'redirect'],
    [307, 'redirect'],
    [400, 'client_error'],
    [404, 'client_error'],
    [410, 'client_error'],
    [429, 'client_error'],
    [499, 'client_error'],
    [500, 'server_error'],
    [503, 'server_error'],
    [599, 'server_error'],
    [600, 'server_error'],
    [101, 'server_error'],
  ] as const)('that is answered %i is a %s', (status, outcome) => {
    expect(outcomeOf(status)).toBe(outcome)
  })
})
