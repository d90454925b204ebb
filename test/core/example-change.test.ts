import { describe, expect, test } from 'vitest'
import { examplePageChange, exampleSearchChange, MADE_UP_ID } from '../../core/example-change.ts'
import { deliveryPayload } from '../../core/payload.ts'
import type { MonitorSpec } from '../../schema/monitor/monitor.ts'
import { DeliveryPayload } from '../../schema/run/delivery.ts'
import type { Values } from '../../schema/shape/json.ts'
import { checkerOf } from '../../schema/validation/validate.ts'

const PAGE = { name: 'Kettle', url: 'https://shop.example/', diff_predicate: { type: 'any_field_changes' } } as const
const SEARCH = {
  name: 'Rank',
  keyword: 'kettle',
  engine: 'google',
  location_code: 'us',
  language_code: 'en',
  target_domain: null,
} as const
const ID = '01890a5d-ac96-774b-bcce-b302099a8057'

const payloadOf = (content: ReturnType<typeof examplePageChange>) => {
  const { numericFields: _, ...about } = content
  return deliveryPayload({ id: ID, ...about, test: true })
}
const ofPage = (extract: MonitorSpec['extract_config'], values?: Values) =>
  examplePageChange({ nowMs: 0, ...(values && { values }) }, { ...PAGE, extract_config: extract })

describe('a made-up change', () => {
  const css = { method: 'css', fields: { title: 'h1', price: '.price' } } as const

  test.each([
    ['fields', ofPage(css)],
    ['a whole page', ofPage({ method: 'full_page' })],
    ['a prompt', ofPage({ method: 'prompt', prompt: 'What is the price?' })],
    ['a prompt with an empty schema', ofPage({ method: 'prompt', prompt: 'What is the price?', schema: {} })],
    ['a rank', exampleSearchChange({ nowMs: 0 }, { ...SEARCH, mode: 'rank_tracking' })],
    ['results', exampleSearchChange({ nowMs: 0 }, { ...SEARCH, mode: 'full_analysis' })],
  ])('of %s has the payload of a delivery', (_what, content) => {
    const payload = payloadOf(content)
    expect(checkerOf(DeliveryPayload).validate(payload)).toMatchObject({ ok: true })
    expect([payload.monitor_id, payload.run_id]).toEqual([MADE_UP_ID, MADE_UP_ID])
  })

  test('is of a field that the predicate reads as a number, where there is one', () => {
    const predicate = { type: 'field_above', field: 'price', threshold: 5 } as const
    const { diff, numericFields } = examplePageChange(
      { nowMs: 0 },
      { ...PAGE, extract_config: css, diff_predicate: predicate },
    )
    expect(diff).toEqual({ fields_changed: ['price'], before: { price: '$19.99' }, after: { price: '$17.49' } })
    expect(numericFields).toEqual(['price'])
  })

  test('ends with the value that a check has read', () => {
    expect(ofPage(css, { title: 'Sale' }).diff?.after).toEqual({ title: 'Sale' })
    const { diff, lists } = ofPage(css, { title: ['a', 'b'] })
    expect(diff).toMatchObject({ before: { title: ['b'] }, after: { title: ['a', 'b'] } })
    expect(lists).toMatchObject({ title: { added: ['a'], added_count: 1 } })
  })

  test('may be of a field of any name', () => {
    const { diff } = ofPage({ method: 'css', fields: JSON.parse('{"__proto__": "h1"}') })
    expect(JSON.stringify(diff?.after)).toBe('{"__proto__":"the value after"}')
  })
})
