import { describe, expect, test } from 'vitest'
import { EXAMPLE_PAGE, examplePageChange, exampleSearchChange } from '../../../core/example-change.ts'
import { messageValues } from '../../../core/message/message-values.ts'
import { namedTexts, render } from '../../../core/message/render-message.ts'
import { deliveryPayload } from '../../../core/payload.ts'
import { textTemplate } from '../../../schema/message/message-template.ts'
import { MESSAGE_NAMES } from '../../../schema/message/message.ts'

const KNOWN = { labels: { env: 'prod' }, changes: 'price: $19.99 → $17.49', runUrl: 'https://tide.example/runs/1' }
const SEARCH = {
  name: 'Rank',
  keyword: 'kettle',
  engine: 'bing',
  location_code: 'us',
  language_code: 'en',
  target_domain: 'example.com',
} as const

/** Writes a text about a change, as a message does. */
function said(text: string, { numericFields = [], ...change }: ReturnType<typeof examplePageChange>): string {
  const payload = deliveryPayload({ id: change.runId, ...change })
  return render(textTemplate(text), namedTexts(messageValues({ ...KNOWN, payload, numericFields, engine: 'bing' })))
}

describe('the values of a message', () => {
  const page = examplePageChange({ nowMs: 0 }, EXAMPLE_PAGE)

  test('are those of the change and of the monitor', () => {
    expect(said('{{monitor.name}} ({{monitor.labels.env}}), {{monitor.url}}', page)).toBe(
      'Example (prod), https://example.com/',
    )
    expect(said('{{fields.price.before}} → {{fields.price.after}} ({{fields.price.change}})', page)).toBe(
      '$19.99 → $17.49 (−12.5 %)',
    )
    expect(said('{{changes}} at {{fired_at}}: {{run.url}}', page)).toBe(
      'price: $19.99 → $17.49 at 1970-01-01T00:00:00.000Z: https://tide.example/runs/1',
    )
  })

  test('of lists are their items, and of a page its lines', () => {
    const lists = examplePageChange({ nowMs: 0, values: { price: ['a', 'b'] } }, EXAMPLE_PAGE)
    expect(said('+{{lists.price.added}} −{{lists.price.removed}}', lists)).toMatch(/^\+a −/)
    const whole = examplePageChange({ nowMs: 0 }, { ...EXAMPLE_PAGE, extract_config: { method: 'full_page' } })
    expect(said('{{text.excerpt}}', whole)).toBe('- A line of the page before\n+ The same line after')
  })

  test('of a search are its ranks, or the results that came and went', () => {
    const ranks = exampleSearchChange({ nowMs: 0 }, { ...SEARCH, mode: 'rank_tracking' })
    expect(said('{{serp.keyword}} at {{serp.engine}}: {{serp.previous_rank}} → {{serp.rank}}', ranks)).toBe(
      'kettle at bing: 8 → 3',
    )
    const results = exampleSearchChange({ nowMs: 0 }, { ...SEARCH, mode: 'full_analysis' })
    expect(said('+{{serp.added}} −{{serp.removed}} {{serp.rank}}', results)).toBe('+A new result − ')
  })

  test('have every name of the table', () => {
    const values = messageValues({ ...KNOWN, payload: deliveryPayload({ id: page.runId, ...page }), numericFields: [] })
    for (const name of Object.keys(MESSAGE_NAMES)) {
      const [first = '', second = '*'] = name.split('.')
      expect(values).toHaveProperty(first)
      if (second !== '*') expect(Object.keys(Object(values[first]) as object)).toContain(second)
    }
  })
})
