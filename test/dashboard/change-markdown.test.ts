import { expect, test } from 'vitest'
import { changeMarkdown } from '../../dashboard/src/runs/change-markdown.ts'

const CHANGE = {
  run_id: '01a1fdda-7d9b-7133-82bc-55eff54399c9',
  at: '2026-05-24T08:30:12.000Z',
  monitor: { id: '5b0f7f0e-7b7c-4c1e-9a53-0a6d6b1b8a11', kind: 'page', name: 'Kettle' },
  fields: [{ field: 'price', before: '$20.00', after: '$15.00', percent: -25 }],
  more: 0,
  visual_change_pct: null,
  fired: true,
  deliveries: { pending: 0, success: 1, failed: 0, dead: 0 },
  silence: null,
  seen: true,
} as const
const LINK = 'https://watch.example.com/monitors/5b0f/runs/01a1'

test('a change as Markdown is a link and a table of what was before and after', () => {
  expect(changeMarkdown(CHANGE, LINK)).toBe(
    [
      `**[Kettle](<${LINK}>)** changed at 2026-05-24 08:30 UTC`,
      '',
      '| Field | Before | After |',
      '| --- | --- | --- |',
      '| price | $20.00 | $15.00 (-25 %) |',
      '',
    ].join('\n'),
  )
})

test('values of pages are no markup in it, stay in one line, and are cut', () => {
  const after = `<img src=x> [a](javascript:1) | b\n\n# c ${'x'.repeat(1_000)}`
  const fields = [{ field: '**f**', before: null, after, percent: null }]
  const text = changeMarkdown({ ...CHANGE, fields, more: 2, visual_change_pct: 12.34 }, LINK)
  const row = text.split('\n')[4] ?? ''
  expect(row.startsWith(String.raw`| \*\*f\*\* | … | \<img src=x\> \[a\]\(javascript:1\) \| b \# c xxx`)).toBe(true)
  expect(row.length).toBeLessThan(400)
  expect(text).toContain('12.3 % of the picture changed.\n\n2 more fields changed.')
})
