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

describe('messages of several changes', () => {
  const AT_ONCE = 32
  const keysOf = (team: string, count: number) => Array.from({ length: count }, (_, n) => `${n}.example:443 ${team}`)
  const plain = 'plain.example:443 team'
  /** Starts what was granted. */
  function start(all: Destinations): Map<string, ReturnType<Destinations['start']>> {
    const granted = [...all.grant().keys()]
    for (const key of granted) all.claimed(key, 1, false)
    return new Map(granted.map((key) => [key, all.start(key)]))
  }

  test('are made a few at a time, and others do not wait for them', () => {
    const all = destinations()
    for (const key of keysOf('team', 90)) all.due(key, true)
    all.due(plain)
    const started = start(all)
    expect(started.has(plain)).toBe(true)
    expect(started.size).toBe(AT_ONCE + 1)
    expect(start(all).size).toBe(0)
  })

  test('make room for the next when they are made, however long their destinations take', () => {
    const onRoom = vi.fn<() => void>()
    const all = new Destinations({ total: 100, perHost: 10, onRoom })
    for (const key of keysOf('team', 90)) all.due(key, true)
    for (const flight of start(all).values()) flight.isMade()
    expect(onRoom).toHaveBeenCalledTimes(AT_ONCE)
    expect(start(all).size).toBe(AT_ONCE)
  })

  test('make room when they end before they are made, or were claimed by another process', () => {
    const all = destinations()
    const keys = keysOf('team', 90)
    for (const key of keys) all.due(key, true)
    for (const flight of start(all).values()) flight.end(true)
    const granted = [...all.grant().keys()]
    expect(granted).toHaveLength(AT_ONCE)
    for (const key of granted) all.claimed(key, 0, false)
    expect(all.grant().size).toBe(90 - 2 * AT_ONCE)
  })

  test('of several teams take turns', () => {
    const all = destinations()
    for (const key of keysOf('first', 90)) all.due(key, true)
    for (const key of keysOf('second', 10)) all.due(key, true)
    const teams = [...start(all).keys()].map((key) => key.split(' ')[1])
    expect(teams.filter((team) => team === 'second')).toHaveLength(10)
  })

  test('of a host that hangs hold up neither those of another host nor those of another team', () => {
    const all = new Destinations({ total: 100, perHost: 5, onRoom: () => {} })
    const hanging = Array.from({ length: 60 }, (_, n) => `smtp team-${n}`)
    for (const key of hanging) all.due(key, true)
    const first = start(all)
    expect(first.size).toBeLessThan(5)
    all.due('other.example:443 late', true)
    expect([...start(all).keys()]).toEqual(['other.example:443 late'])
    // They are tried in turn: no number of them comes before one that could start.
    for (const flight of first.values()) flight.end(true)
    expect(start(all).size).toBeGreaterThan(0)
  })

  test('make way for a message that is due by itself', () => {
    const all = destinations()
    for (const key of [...keysOf('team', AT_ONCE), plain]) all.due(key, true)
    expect(start(all).has(plain)).toBe(false)
    all.due(plain, false)
    expect(start(all).has(plain)).toBe(true)
  })

  test('leave the line when their destination has nothing due any more', () => {
    const all = destinations()
    const [first = '', ...others] = keysOf('team', AT_ONCE + 2)
    all.due(first, true)
    all.grant()
    for (const key of others) all.due(key, true)
    all.claimed(first, 0, false)
    expect(all.grant().size).toBe(AT_ONCE)
  })
})
