import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPatternMatcher, type PatternMatcher } from '../../../runners/pattern/pattern-matcher.ts'
import { createMonitor, faultsOf } from '../../support/api/monitor-requests.ts'
import { startWatching, type Watched, type Watching } from '../../support/api/watching.ts'

let watching: Watching
let patterns: PatternMatcher
beforeAll(async () => {
  patterns = createPatternMatcher()
  watching = await startWatching({ patterns })
})
afterAll(async () => {
  await watching.close()
  await patterns.close()
})

const UNSEEN = { type: 'list_gains_unseen_items', field: 'value' } as const
const watch = (first: unknown, diff_predicate: object = UNSEEN) =>
  watching.watch({ value: first }, { diff_predicate, schedule_interval_seconds: 31_536_000 })

/** Shows a list, and answers whether its run fired. */
async function shows(watched: Watched, value: unknown): Promise<boolean | null> {
  watched.set({ value })
  return (await watched.run()).fired
}

describe('list_gains_unseen_items', () => {
  test('fires for an item that the monitor has never shown, and is quiet while a page repeats its items', async () => {
    const watched = await watch(['a', 'b', 'c'])
    const told = []
    for (const list of [['c', 'b'], ['a', 'c'], ['b'], ['b', 'd'], ['a'], ['d', 'a', 'b']])
      told.push(await shows(watched, list))
    expect(told).toEqual([false, false, false, true, false, false])
  })

  test('remembers a list while it is missing', async () => {
    const watched = await watch(['a'])
    expect(await shows(watched, null)).toBe(false)
    expect(await shows(watched, ['a'])).toBe(false)
    expect(await shows(watched, ['a', 'b'])).toBe(true)
  })

  test('begins anew with the last reading when the predicate is edited, and silently when the rule is', async () => {
    const watched = await watch(['a', 'b'])
    await shows(watched, ['a'])
    const path = `/v1/monitors/${watched.id}`
    await watching.served.me.patch(path, { diff_predicate: { ...UNSEEN, forget_after_days: 5 } })
    expect([await shows(watched, ['a', 'b']), await shows(watched, ['a'])]).toEqual([true, false])
    const extract_config = { method: 'json_path', fields: { value: '$.value', more: '$.more' } }
    await watching.served.me.patch(path, { extract_config })
    expect([await shows(watched, ['x']), await shows(watched, ['x', 'b']), await shows(watched, ['x'])]).toEqual([
      false,
      true,
      false,
    ])
  })

  test('is quiet about what finds no room, and the run warns', async () => {
    const lists = Array.from({ length: 10 }, (_, n) => Array.from({ length: 999 }, (__, at) => `${n} ${at}`))
    const [first = [], ...others] = lists
    const watched = await watch(first)
    for (const list of others) await shows(watched, list)
    expect(
      await shows(
        watched,
        Array.from({ length: 10 }, (_, at) => `last ${at}`),
      ),
    ).toBe(true)
    watched.set({ value: ['one more'] })
    expect(await watched.run()).toMatchObject({
      fired: false,
      warnings: [
        expect.stringContaining('has shown 10,000 items, the most that are remembered; 1 new item was not told'),
      ],
    })
  })

  test('is tried on stored runs from the oldest one that is read, and says so', async () => {
    const watched = await watch(['a', 'b'], { type: 'any_field_changes' })
    for (const list of [['b'], ['a', 'b'], ['c'], ['a']]) await shows(watched, list)
    const tried = (await watching.served.me.post(`/v1/monitors/${watched.id}/backtest`, { diff_predicate: UNSEEN }))
      .body as never as { runs: { fires: boolean; conditions: { why: string }[] }[]; warnings: string[] }
    expect(tried.runs.map(({ fires }) => fires)).toEqual([false, true, false, false])
    expect(tried.runs[1]?.conditions[0]?.why).toBe('value gained 1 item that it had never shown')
    expect(tried.warnings).toEqual([expect.stringContaining('begins with the oldest run that is read')])
  })

  test('needs a list, and days from 1 to 3,650', async () => {
    const { me } = watching.served
    expect(await faultsOf(me, { diff_predicate: { ...UNSEEN, field: 'price' } })).toEqual(['diff_predicate.field'])
    const list = { extract_config: { method: 'css', fields: { value: 'li[]' } } }
    await createMonitor(me, { ...list, diff_predicate: { ...UNSEEN, forget_after_days: 3650 } })
    for (const forget_after_days of [0, 3651, '9'])
      expect(await faultsOf(me, { ...list, diff_predicate: { ...UNSEEN, forget_after_days } })).toEqual([
        'diff_predicate.forget_after_days',
      ])
  })
})

test('an item that was not shown for longer than the days fires again', async () => {
  const watched = await watch(['a', 'b'], { ...UNSEEN, forget_after_days: 30 })
  await shows(watched, ['b'])
  await watching.setClock(20 * 86_400)
  expect([await shows(watched, ['a', 'b']), await shows(watched, ['b'])]).toEqual([false, false])
  await watching.setClock(60 * 86_400)
  expect(await shows(watched, ['a', 'b'])).toBe(true)
})
