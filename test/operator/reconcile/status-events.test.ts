import { expect, test } from 'vitest'
import { happeningsBetween } from '../../../operator/reconcile/status-events.ts'

const dead = (path: string, address: string, since = '2026-11-24T00:00:00Z') => ({
  path,
  type: 'webhook',
  address,
  since,
})
const between = (before: readonly object[], now: readonly object[]) =>
  happeningsBetween({ failedDestinations: before as never }, { failedDestinations: now as never }).map(
    ({ reason, note }) => `${reason} ${note.slice(0, 60)}`,
  )

test('a destination at another position after an edit is neither given up again nor well again', () => {
  const [one, other] = [dead('spec.deliveries[0]', 'a.example'), dead('spec.deliveries[1]', 'b.example')]
  expect(
    between([one, other], [dead('spec.deliveries[0]', 'b.example'), dead('spec.deliveries[1]', 'a.example')]),
  ).toEqual([])
  expect(between([one], [dead('spec.deliveries[3]', 'a.example')])).toEqual([])
})

test('one that failed again since has one more Event, and so has one of two alike that recovered', () => {
  const one = dead('spec.deliveries[0]', 'a.example')
  expect(between([one], [dead('spec.deliveries[0]', 'a.example', '2026-11-25T00:00:00Z')])).toEqual([
    expect.stringMatching(/^DeliveryGivenUp /),
  ])
  expect(between([one, dead('spec.deliveries[1]', 'a.example')], [one])).toEqual([
    expect.stringMatching(/^DeliveryResumed The destination that was spec.deliveries\[1\]/),
  ])
})
