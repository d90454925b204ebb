import { afterEach, describe, expect, test, vi } from 'vitest'
import { createDestinations } from '../../../deliveries/loop/destinations.ts'
import { CHAT_PACE } from '../../../schema/run/delivery.ts'

const KEY = 'chat.example.com:443 team address'
const destinations = () => createDestinations({ total: 100, perHost: 10, onRoom: () => {} })
const roomOf = (all: ReturnType<typeof destinations>) =>
  all.plan().grant({ key: KEY, host: 'chat.example.com:443', team: 'team' })

afterEach(() => vi.useRealTimers())

describe('the pace of a chat', () => {
  test('stays closed for as long as the chat asked, also for messages that do not wait for it', () => {
    vi.useFakeTimers()
    const all = destinations()
    const flight = all.start(KEY, 'slack')
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
    const flight = all.start(KEY, 'discord')
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
    const [one, other] = [all.start(KEY, 'slack'), all.start(KEY, 'slack')]
    one.hold(60_000)
    other.hold(1_000)
    for (const flight of [one, other]) flight.end(false)
    vi.advanceTimersByTime(30_000)
    expect(roomOf(all)).toBe(0)
  })

  test.each(['slack', 'discord'] as const)('of %s is its own', (type) => {
    vi.useFakeTimers()
    const all = destinations()
    for (let n = 0; n < CHAT_PACE.burst; n++) all.start(KEY, type).end(true)
    expect(roomOf(all)).toBe(0)
    vi.advanceTimersByTime(CHAT_PACE.everyMs[type] - 10)
    expect(roomOf(all)).toBe(0)
    vi.advanceTimersByTime(20)
    expect(roomOf(all)).toBe(1)
  })

  test('of other destinations does not exist', () => {
    const all = destinations()
    for (let n = 0; n < 20; n++) all.start(KEY, 'webhook').end(true)
    expect(roomOf(all)).toBeGreaterThan(0)
  })
})
