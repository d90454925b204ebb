import { describe, expect, test } from 'vitest'
import { finished, isHealthy, type Counted } from '../../../deliveries/loop/attempt-recorder.ts'
import type { ClaimedDelivery } from '../../../store/deliveries/delivery-queue.ts'

const claimed = (attempts: number): ClaimedDelivery => ({
  id: '01a1fdda-7d9b-7133-82bc-55eff54399c9',
  fence: 7,
  monitor_id: 'm',
  run_id: 'r',
  team_id: '01a1fdda-7d9b-7133-82bc-55eff54399c8',
  type: 'webhook',
  notice: null,
  host: 'example.com:443',
  target: Buffer.alloc(0),
  payload: '{}',
  bytes: 2,
  attempts,
  late_ms: 0,
  claimed_ms: 0,
  is_digest: false,
  signing_secret: null,
  old_signing_secret: null,
})
const answered = (status: number): Counted => ({ kind: 'answered', status, body: null })
const UNANSWERED: Counted = { kind: 'no_answer', message: 'nobody home' }
const IMPOSSIBLE: Counted = { kind: 'impossible', message: 'no way' }
const statuses = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

describe('what is written down of an attempt', () => {
  test('every 2xx is the end, with success', () => {
    for (const status of statuses(200, 300))
      expect(finished(claimed(0), answered(status))).toMatchObject({
        status: 'success',
        attempts: 1,
        retry_after_seconds: null,
      })
  })

  test('every 4xx is the end, failed', () => {
    for (const status of statuses(400, 500))
      expect(finished(claimed(2), answered(status))).toMatchObject({
        status: 'failed',
        attempts: 3,
        retry_after_seconds: null,
        response_status: status,
      })
  })

  test('every 3xx and 5xx, and no answer, is tried again by the schedule', () => {
    for (const outcome of [...statuses(300, 400), ...statuses(500, 600)].map(answered).concat(UNANSWERED)) {
      const delays = [0, 1, 2, 3, 4].map((before) => finished(claimed(before), outcome))
      expect(delays.map((record) => record.retry_after_seconds)).toEqual([300, 900, 1800, 3600, 7200])
      expect(delays.map((record) => record.status)).toEqual(Array.from({ length: 5 }, () => 'failed'))
    }
  })

  test('an attempt that would fall into the quiet hours is made when they end, by the schedule otherwise', () => {
    const quietHours = { from: '22:00', until: '07:00', time_zone: 'UTC' }
    const next = (endedAt: string, before = 0) => {
      const failed = { ...claimed(before), claimed_ms: Date.parse(endedAt) - 1_000 }
      return finished(failed, UNANSWERED, { quietHours, tookMs: 1_000 }).retry_after_seconds
    }
    expect(next('2026-01-10T21:54:59.000Z')).toBe(300)
    expect(next('2026-01-10T21:55:00.000Z')).toBe(9 * 3600 + 300)
    expect(next('2026-01-11T06:54:59.500Z')).toBe(301)
    expect(next('2026-01-11T06:55:00.000Z')).toBe(300)
    expect(next('2026-01-10T23:00:00.000Z', 5)).toBeNull()
  })

  test('the sixth failure is the end, dead', () => {
    for (const outcome of [answered(302), answered(500), UNANSWERED])
      expect(finished(claimed(5), outcome)).toMatchObject({ status: 'dead', attempts: 6, retry_after_seconds: null })
  })

  test('what cannot be sent is the end, failed, with the reason instead of a body', () => {
    expect(finished(claimed(0), IMPOSSIBLE)).toEqual({
      id: claimed(0).id,
      fence: 7,
      is_digest: false,
      status: 'failed',
      attempts: 1,
      retry_after_seconds: null,
      response_status: null,
      response_body: 'no way',
    })
  })

  test('a destination that fails, hurries us or is silent is sent less at a time', () => {
    expect([answered(200), answered(302), answered(404)].map(isHealthy)).toEqual([true, true, true])
    expect([answered(429), answered(500), UNANSWERED, IMPOSSIBLE].map(isHealthy)).toEqual([false, false, false, false])
  })
})
