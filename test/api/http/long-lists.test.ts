import { describe, expect, test } from 'vitest'
import { LongLists } from '../../../api/http/long-lists.ts'
import { LIST_LIMITS } from '../../../schema/list-limits.ts'

const { groupBytes, underWay } = LIST_LIMITS
const { perTeam: teamBytes, total: underWayBytes, teamWaiting } = underWay
const staying = new AbortController().signal

/** A list of two groups. */
const listOf = (teamId: string, left = staying) => ({
  teamId,
  left,
  rows: [1, 2].map((n) => ({ n, bytes: groupBytes })),
  read: async (rows: readonly { readonly n: number }[]) => rows.map(({ n }) => `{"n":${n}}`),
  rest: { pagination: { page: 1 } },
})

function opened() {
  const lines: unknown[] = []
  const lists = new LongLists({ warn: (...line: unknown[]) => void lines.push(line) })
  /** Asks for a list, and takes its first part only. */
  const begin = async (teamId: string) => {
    const parts = (await lists.open(listOf(teamId)))[Symbol.asyncIterator]()
    const first = await parts.next()
    return {
      /** Takes the rest. */
      async end() {
        let text = String(first.value)
        for (let part = await parts.next(); part.done !== true; part = await parts.next()) text += part.value
        return text
      },
      leave: async () => void (await parts.return?.()),
    }
  }
  return { lists, lines, begin }
}

const OF_A_TEAM = teamBytes / groupBytes
const several = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make)

describe('long lists', () => {
  test('are the envelope with all rows', async () => {
    const { begin, lists } = opened()
    expect(await (await begin('a')).end()).toBe('{"data":[{"n":1},{"n":2}],"pagination":{"page":1}}')
    expect(lists.figures()).toEqual({
      bytesUnderWay: 0,
      waiting: 0,
      counts: { sent: 1, waited: 0, refused: 0, ended: 0 },
    })
  })

  test('of one team use half of the budget, and then wait, while another team does not', async () => {
    const { begin, lists } = opened()
    const under = await Promise.all(several(OF_A_TEAM, () => begin('a')))
    expect(lists.figures().bytesUnderWay).toBe(teamBytes)
    const waiting = begin('a')
    const others = await Promise.all(several(OF_A_TEAM, () => begin('b')))
    expect(lists.figures()).toMatchObject({ bytesUnderWay: underWayBytes, waiting: 1 })
    await under[0]?.leave()
    expect(await (await waiting).end()).toContain('"n":2')
    await Promise.all([...under.slice(1), ...others].map((each) => each.leave()))
    expect(lists.figures()).toMatchObject({ bytesUnderWay: 0, waiting: 0 })
  })

  test('beyond those that wait are refused with a time to wait, and the log says so once', async () => {
    const { begin, lists, lines } = opened()
    const under = await Promise.all(several(OF_A_TEAM, () => begin('a')))
    const waiting = several(teamWaiting, () => begin('a'))
    for (let n = 0; n < 3; n++)
      await expect(begin('a')).rejects.toMatchObject({
        code: 'RATE_LIMIT_EXCEEDED',
        status: 429,
        headers: { 'retry-after': '2' },
      })
    expect(lists.figures().counts).toMatchObject({ refused: 3, waited: teamWaiting + 3 })
    expect(lines).toHaveLength(1)
    await Promise.all(under.map((each) => each.leave()))
    for (const each of waiting) await (await each).end()
    expect(lists.figures()).toMatchObject({ bytesUnderWay: 0, counts: { sent: teamWaiting, ended: OF_A_TEAM } })
  })

  test('give back what they hold when a row is gone, before and after the answer has begun', async () => {
    const { lists } = opened()
    const gone = { ...listOf('a'), read: async () => [] }
    await expect(lists.open(gone)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    const later = { ...listOf('a'), read: async (rows: readonly { n: number }[]) => (rows[0]?.n === 1 ? ['1'] : []) }
    const parts = (await lists.open(later))[Symbol.asyncIterator]()
    expect(await parts.next()).toMatchObject({ value: '{"data":[1' })
    await expect(parts.next()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(lists.figures()).toMatchObject({ bytesUnderWay: 0, counts: { ended: 1 } })
  })

  test('of a client that has left wait no longer', async () => {
    const { begin, lists } = opened()
    const under = await Promise.all(several(OF_A_TEAM, () => begin('a')))
    const left = new AbortController()
    const waiting = lists.open(listOf('a', left.signal))
    expect(lists.figures().waiting).toBe(1)
    left.abort()
    await expect(waiting).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(lists.figures().waiting).toBe(0)
    await Promise.all(under.map((each) => each.leave()))
  })
})
