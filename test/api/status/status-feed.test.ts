import { Parser } from 'htmlparser2'
import { expect, test } from 'vitest'
import { statusFeed } from '../../../api/status/status-feed.ts'
import { newRunId } from '../../support/database/run-ids.ts'

const HOSTILE = `]]><script>alert(1)</script>&lt;img src=x onerror=a&gt;"'&\u0000\u0008\u202e\ufffe\uffff</item>`
const AT = '2026-05-24T14:03:00.000Z'
const MONITOR = {
  page_id: 'page',
  no: 7,
  name: HOSTILE,
  show_value: true,
  is_paused: false,
  is_failing: false,
  is_checked: true,
  last_run_at: AT,
  due_at: null,
  interval_seconds: 3_600,
  has_reading: true,
  values_floor: '',
  summary: null,
  is_change_shown: true,
}
const PAGE = { id: 'page', slug: 'shop', title: HOSTILE, indexed: false, published: true, at: AT, hasMore: false }

/** The texts of elements of a document, as a program that reads XML gets them. */
function textsOf(xml: string, wanted: string): readonly string[] {
  const texts: string[] = []
  let open = ''
  const parser = new Parser(
    {
      onopentag(name) {
        open = name
        if (name === wanted) texts.push('')
      },
      ontext(text) {
        if (open === wanted) texts.push((texts.pop() ?? '') + text)
      },
      onclosetag: () => void (open = ''),
    },
    { xmlMode: true, decodeEntities: true },
  )
  parser.end(xml)
  return texts
}

test('the feed of a status page keeps hostile texts as texts, in XML and read as HTML after that', () => {
  const field = { field: HOSTILE, before: HOSTILE, after: '1', percent: null }
  const change = {
    ...{ page_id: 'page', no: 7, run_id: newRunId(Date.parse(AT), 7, 1), start_offset_ms: 0, duration_ms: 12 },
    change: { fields: [field], more: 0 },
  }
  const other = { ...change, no: 8 }
  const xml = statusFeed({ ...PAGE, monitors: [MONITOR] }, [change, other], 'https://example.com')
  // A change of what is not on the page is left out.
  expect(textsOf(xml, 'item')).toHaveLength(1)
  const texts = [...textsOf(xml, 'title'), ...textsOf(xml, 'description')]
  expect(texts).toHaveLength(4)
  for (const text of texts) {
    expect(text).toContain('alert(1)')
    expect(text).not.toMatch(/[<>\u0000\u0008\u202e\ufffe\uffff]/)
    const tags: string[] = []
    new Parser({ onopentag: (name) => void tags.push(name) }).end(text)
    expect(tags).toEqual([])
  }
  expect(textsOf(xml, 'pubDate')).toEqual(['Sun, 24 May 2026 14:03:00 GMT'])
})
