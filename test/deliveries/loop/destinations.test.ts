import { afterEach, describe, expect, test, vi } from 'vitest'
import { createDestinations } from '../../../deliveries/loop/destinations.ts'

const KEY = 'chat.example.com:443 team slack:address'
const destinations = () => createDestinations({ total: 100, perHost: 10, onRoom: () => {} })
const roomOf = (all: ReturnType<typeof destinations>, key = KEY) =>
  all.plan().grant({ key, host: 'chat.example.com:443', team: 'team' })

afterEach(() => vi.useRealTimers())

describe('the pace of a chat', () => {
  test('stays closed for as long as the chat asked, also for messages that do not wait for it', () => {
    vi.useFakeTimers()
    const all = destinations()
    const flight = all.start(KEY)
    flight.hold(60_000)
    flight.end(false)
    vi.advanceTimersByTime(59_000)
    expect(roomOf(all)).toBe(0)
    vi.advanceTimersByTime(2_000)
    expect(roomOf(all)).toBe(1)
  })

  test('is closed for ten minutes at most, whatever the chat asks', () => {
    vi.useFakeTimers()
    const all = destinations()
    const flight = all.start(KEY)
    flight.hold(24 * 3_600_000)
    flight.end(false)
    vi.advanceTimersByTime(599_000)
    expect(roomOf(all)).toBe(0)
    vi.advanceTimersByTime(4_000)
    expect(roomOf(all)).toBe(1)
  })

  test('is not opened sooner by a shorter wait that another message is asked for', () => {
    vi.useFakeTimers()
    const all = destinations()
    const [one, other] = [all.start(KEY), all.start(KEY)]
    one.hold(60_000)
    other.hold(1_000)
    for (const flight of [one, other]) flight.end(false)
    vi.advanceTimersByTime(30_000)
    expect(roomOf(all)).toBe(0)
  })

  test('gives one turn at a time, whichever teams have messages for it', () => {
    const plan = destinations().plan()
    const grant = (team: string) => plan.grant({ key: KEY.replace('team', team), host: 'chat.example.com:443', team })
    expect([grant('one'), grant('two')]).toEqual([1, 0])
  })

  test('of other destinations does not exist', () => {
    const all = destinations()
    const key = KEY.replace('slack:', '')
    const flight = all.start(key)
    flight.hold(60_000)
    flight.end(true)
    expect(roomOf(all, key)).toBeGreaterThan(1)
  })
})
