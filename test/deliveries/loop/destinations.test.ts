import { afterEach, describe, expect, test, vi } from 'vitest'
import { Destinations } from '../../../deliveries/loop/destinations.ts'

const KEY = 'chat.example.com:443 team slack:address'
const destinations = () => new Destinations({ total: 100, perHost: 10, onRoom: () => {} })
/** Returns how many attempts may start, and starts none. */
function roomOf(all: Destinations, ...keys: string[]): number[] {
  for (const key of keys) all.due(key)
  const granted = all.grant()
  for (const key of keys) all.claimed(key, 0, true)
  return keys.map((key) => granted.get(key) ?? 0)
}
function started(all: Destinations, key = KEY) {
  all.due(key)
  all.grant()
  all.claimed(key, 1, false)
  return all.start(key)
}

afterEach(() => vi.useRealTimers())

describe('the pace of a chat', () => {
  test('stays closed for as long as the chat asked, also for messages that do not wait for it', () => {
    vi.useFakeTimers()
    const all = destinations()
    const flight = started(all)
    flight.hold(60_000)
    flight.end(false)
    vi.advanceTimersByTime(59_000)
    expect(roomOf(all, KEY)).toEqual([0])
    vi.advanceTimersByTime(2_000)
    expect(roomOf(all, KEY)).toEqual([1])
  })

  test('is closed for ten minutes at most, whatever the chat asks', () => {
    vi.useFakeTimers()
    const all = destinations()
    const flight = started(all)
    flight.hold(24 * 3_600_000)
    flight.end(false)
    vi.advanceTimersByTime(599_000)
    expect(roomOf(all, KEY)).toEqual([0])
    vi.advanceTimersByTime(4_000)
    expect(roomOf(all, KEY)).toEqual([1])
  })

  test('is not opened sooner by a shorter wait that another message is asked for', () => {
    vi.useFakeTimers()
    const all = destinations()
    const one = started(all)
    one.hold(60_000)
    one.hold(1_000)
    one.end(false)
    vi.advanceTimersByTime(30_000)
    expect(roomOf(all, KEY)).toEqual([0])
  })

  test('gives one turn at a time, whichever teams have messages for it', () => {
    const [one, two] = [KEY.replace('team', 'one'), KEY.replace('team', 'two')]
    expect(roomOf(destinations(), one, two)).toEqual([1, 0])
  })

  test('of other destinations does not exist', () => {
    const all = destinations()
    const key = KEY.replace('slack:', '')
    const flight = started(all, key)
    flight.hold(60_000)
    flight.end(true)
    expect(roomOf(all, key)).toEqual([2])
  })
})
