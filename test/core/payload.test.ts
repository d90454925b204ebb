import { describe, expect, test } from 'vitest'
import { deliveryPayload, listChanges } from '../../core/payload.ts'
import { DeliveryPayload } from '../../schema/run/delivery.ts'
import type { Values } from '../../schema/shape/json.ts'
import { checkerOf } from '../../schema/validation/validate.ts'

const input = {
  id: '01890a5d-ac96-774b-bcce-b302099a8057',
  monitorId: '5f0c2f1e-7a8f-4b38-8f6f-0d6f5ab5a111',
  runId: '01890a5d-ac96-774b-bcce-b302099a8058',
  firedAtMs: Date.UTC(2026, 4, 1, 12, 0, 0, 7),
  diff: { after: { price: 6 }, before: { price: null }, fields_changed: ['price'] },
  monitor: { name: 'Lamp', url: 'https://example.com/' },
}

describe('the payload of a regular monitor', () => {
  test('is of the shape that the schema says', () => {
    expect(checkerOf(DeliveryPayload).validate(deliveryPayload(input))).toMatchObject({ ok: true })
  })

  test('has its keys in the order of the schema', () => {
    expect(JSON.stringify(deliveryPayload(input))).toBe(
      '{"id":"01890a5d-ac96-774b-bcce-b302099a8057","version":"2026-05-01",' +
        '"monitor_id":"5f0c2f1e-7a8f-4b38-8f6f-0d6f5ab5a111","run_id":"01890a5d-ac96-774b-bcce-b302099a8058",' +
        '"fired_at":"2026-05-01T12:00:00.007Z",' +
        '"diff":{"fields_changed":["price"],"before":{"price":null},"after":{"price":6}},' +
        '"monitor":{"url":"https://example.com/","name":"Lamp"}}',
    )
    const keys = (schema: { properties: object }) => Object.keys(schema.properties)
    const lists = { a: { added: [], removed: [], moved: [], added_count: 0, removed_count: 0, moved_count: 0 } }
    const text = { lines_added: 1, lines_removed: 0, excerpt: '+ a' }
    const ranks = { rank: 1, previous_rank: null, rank_delta: null }
    const serp = { keyword: 'a', target_domain: 'b.example', ...ranks }
    const serp_analysis = { keyword: 'a', results: [], previous_results: [] }
    const visual = { change_pct: 2.5, threshold_pct: 1 }
    const all = { ...input, lists, text, serp, serp_analysis, visual, test: true } as const
    expect(Object.keys(deliveryPayload(all))).toEqual(keys(DeliveryPayload))
    expect(checkerOf(DeliveryPayload).validate(deliveryPayload(all))).toMatchObject({ ok: true })
    expect(Object.keys(deliveryPayload(input).diff)).toEqual(keys(DeliveryPayload.properties.diff))
    expect(Object.keys(deliveryPayload(input).monitor)).toEqual(keys(DeliveryPayload.properties.monitor))
  })

  test('has an empty diff when only the picture changed, and says by how much', () => {
    const payload = deliveryPayload({ ...input, diff: null, visual: { change_pct: 2.5, threshold_pct: 1 } })
    expect(payload.diff).toEqual({ fields_changed: [], before: {}, after: {} })
    expect(Object.entries(payload).at(-1)).toEqual(['visual', { change_pct: 2.5, threshold_pct: 1 }])
  })

  test('has no visual block otherwise', () => {
    expect('visual' in deliveryPayload(input)).toBe(false)
  })
})

describe('what a payload says of lists', () => {
  const diff = (before: Values, after: Values) => ({ fields_changed: Object.keys(after), before, after })

  test('names the items of each list that changed, and no other field', () => {
    const before = { price: '1', none: null, titles: ['a', 'b', 'c'], links: ['x', 'y'] }
    const after = { price: '2', none: ['a'], titles: ['n', 'c', 'a'], links: ['y', 'x'] }
    expect(listChanges(diff(before, after))).toEqual({
      titles: { added: ['n'], removed: ['b'], moved: ['c'], added_count: 1, removed_count: 1, moved_count: 1 },
      links: { added: [], removed: [], moved: ['y'], added_count: 0, removed_count: 0, moved_count: 1 },
    })
    expect(listChanges(diff({ price: '1' }, { price: '2' }))).toBeNull()
  })

  test('compares a list that was empty only for a moment with the items from before', () => {
    const known = { feed: ['a', 'b'], gone: ['x'] }
    const after = { feed: ['n', 'a', 'b'], gone: ['x'], other: ['y'] }
    const counts = { removed: [], moved: [], removed_count: 0, moved_count: 0 }
    expect(listChanges(diff({ feed: [], gone: null, other: [] }, after), known)).toEqual({
      feed: { added: ['n'], added_count: 1, ...counts },
      gone: { added: [], added_count: 0, ...counts },
      other: { added: ['y'], added_count: 1, ...counts },
    })
  })

  test('names at most 100 items and 32 KiB of each kind, and counts all', () => {
    const many = Array.from({ length: 1_000 }, (_, at) => `item ${at}`)
    const long = Array.from({ length: 50 }, (_, at) => `${at} ${'ü'.repeat(1_000)}`)
    const lists = listChanges(diff({ many: [], long }, { many, long: [] }))
    expect(lists?.['many']).toMatchObject({ added_count: 1_000, added: many.slice(0, 100) })
    expect(lists?.['long']).toMatchObject({ removed_count: 50, removed: long.slice(0, 16) })
  })
})
