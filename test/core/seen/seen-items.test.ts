import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MOST_SEEN, see } from '../../../core/seen/see.ts'
import { seeItems, type SeenItems } from '../../../core/seen/seen-items.ts'
import type { Json } from '../../../schema/shape/json.ts'

const DAY = 86_400_000

/** A field whose lists are read one after the other, each on a day. */
function field(forgetAfterDays?: number) {
  let stored: SeenItems | null = null
  let before: Json = null
  return {
    read(day: number, after: Json) {
      const seen = seeItems(stored, { before, after, atMs: day * DAY, forgetAfterDays })
      stored = seen.kept ?? stored
      before = after
      return seen
    },
    get bytes() {
      return stored?.items.length ?? 0
    },
  }
}

describe('the items of a list', () => {
  test('are shown silently by the first reading', () => {
    expect(field().read(1, ['a', 'b'])).toMatchObject({ ages: [], untold: 0 })
  })

  test('count as never shown once each, whatever the list before had', () => {
    const jobs = field()
    jobs.read(1, ['a', 'b'])
    expect(jobs.read(1, ['b', 'c', 'c', 'd']).ages).toEqual([null, null])
    expect(jobs.read(2, ['a', 'b']).ages).toEqual([1])
    expect(jobs.read(2, ['d', 'c', 'b', 'a']).ages).toEqual([0, 0])
    expect(jobs.read(2, []).ages).toEqual([])
    expect(jobs.read(9, ['a', 'e']).ages).toEqual([7, null])
  })

  test('are equal as values are: white space in texts is folded, a change of type is a change', () => {
    const jobs = field()
    jobs.read(1, ['a  b', 1, { x: 1, y: 2 }])
    expect(jobs.read(1, [' a b ', '1', { y: 2, x: 1 }]).ages).toEqual([null])
  })

  test('are forgotten after the days, counted from the last reading that had them', () => {
    const jobs = field(30)
    jobs.read(1, ['a', 'b'])
    // It was shown until then, though nothing was written.
    jobs.read(100, ['b'])
    expect(jobs.read(130, ['a', 'b']).ages).toEqual([30])
    jobs.read(131, ['b'])
    expect(jobs.read(162, ['a', 'b']).ages).toEqual([null])
    expect(jobs.bytes).toBe(24)
  })

  test('of the last reading are never forgotten', () => {
    const jobs = field(1)
    jobs.read(1, ['a'])
    expect(jobs.read(500, ['b', 'a']).ages).toEqual([null])
  })

  test('take 12 bytes each, and are written when one appears and at most once a day', () => {
    const jobs = field()
    expect(jobs.read(1, ['a', 'b']).kept).not.toBeNull()
    expect(jobs.bytes).toBe(24)
    expect(jobs.read(1, ['b', 'a']).kept).toBeNull()
    expect(jobs.read(2, ['a', 'b']).kept).not.toBeNull()
    expect(jobs.read(2, ['b']).kept).toBeNull()
    expect(jobs.read(2, ['b', 'c']).kept?.items).toHaveLength(36)
  })

  test('that find no room do not count as gained, and those that are known stay known', () => {
    const jobs = field()
    const items = Array.from({ length: MOST_SEEN }, (_, nth) => `item ${nth}`)
    for (let at = 0; at < MOST_SEEN; at += 1_000) jobs.read(1, items.slice(at, at + 1_000))
    expect(jobs.bytes).toBe(12 * MOST_SEEN)
    expect(jobs.read(2, ['new', 'item 5'])).toMatchObject({ ages: [1], untold: 1 })
    expect(jobs.read(2, ['new', 'newer', 'item 6'])).toMatchObject({ ages: [1], untold: 1 })
    expect(jobs.bytes).toBe(12 * MOST_SEEN)
  })

  test('that come from behind a cut are not gained, and are known from then on', () => {
    const mark = `…[truncated sha256:${'0'.repeat(32)}]`
    const jobs = field()
    jobs.read(1, ['a', 'b', mark])
    expect(jobs.read(1, ['b', 'c', mark]).ages).toEqual([])
    expect(jobs.read(1, ['b', mark]).ages).toEqual([])
    expect(jobs.read(1, ['c', 'b', mark]).ages).toEqual([0])
  })

  test('have hashes of their own in each field', () => {
    const [one, other] = [field(), field()].map((each) => each.read(1, ['a']).kept)
    expect(one?.items.equals(other?.items ?? Buffer.alloc(0))).toBe(false)
  })
})

test('an item counts as never shown exactly where no earlier reading had it', () => {
  const reading = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'))
  fc.assert(
    fc.property(fc.array(reading, { minLength: 1, maxLength: 12 }), (readings) => {
      const days = new Map<string, number>()
      const known = new Set(readings[0])
      for (const [at, after] of readings.entries()) {
        const before = readings[at - 1] ?? []
        const gained = at === 0 ? [] : after.filter((item) => !before.includes(item))
        const { ages } = see(days, { before, after, gained, atMs: at * DAY })
        expect(ages.filter((age) => age === null)).toHaveLength(after.filter((item) => !known.has(item)).length)
        for (const item of after) known.add(item)
      }
    }),
  )
})
