import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { publicMonitor, runChangeWords, seen } from '../../../core/status/public-monitor.ts'
import { agoWords, dateWords } from '../../../core/status/time-words.ts'
import { CHANGED_MS, PUBLIC_STATES } from '../../../schema/status/public-state.ts'

const NOW = Date.parse('2026-05-24T14:03:30.000Z')
const MINUTE = 60_000
const CHANGE = { run_id: '', at: '2026-05-24T14:00:00.000Z', field: 'price', before: '12', after: '13', more: 0 }
const FACTS = {
  name: 'Kettle',
  show_value: true,
  is_paused: false,
  is_failing: false,
  is_checked: true,
  last_run_at: '2026-05-24T14:03:00.000Z',
  due_at: null as string | null,
  interval_seconds: 86_400,
  has_reading: true,
  summary: { value: { field: 'price', text: '13' }, change: CHANGE },
  is_change_shown: true,
  values_floor: '',
}
const stateOf = (facts: Partial<typeof FACTS>, nowMs = NOW) => publicMonitor({ ...FACTS, ...facts }, nowMs).state

describe('the state of a monitor on a status page', () => {
  test('is what hides the others first: a pause, no check, a failure, a change', () => {
    expect(stateOf({})).toBe('changed')
    expect(stateOf({}, Date.parse(CHANGE.at) + CHANGED_MS)).toBe('up_to_date')
    expect(stateOf({ is_change_shown: false })).toBe('up_to_date')
    expect(stateOf({ is_failing: true })).toBe('not_readable')
    expect(stateOf({ is_failing: true, is_checked: false })).toBe('waiting')
    expect(stateOf({ is_failing: true, is_checked: false, is_paused: true })).toBe('paused')
  })

  test('is overdue from two intervals and a quarter of an hour after the last check on, unless that failed', () => {
    const last_run_at = '2026-05-24T11:48:30.000Z'
    const late = { last_run_at, interval_seconds: 3_600 }
    expect(stateOf(late)).toBe('overdue')
    expect(stateOf(late, NOW - 1)).toBe('changed')
    expect(stateOf({ ...late, interval_seconds: 3_601 })).toBe('changed')
    expect(stateOf({ ...late, is_failing: true })).toBe('not_readable')
    expect(stateOf({ ...late, is_paused: true })).toBe('paused')
  })

  test('is not overdue where it is due about now: it was resumed, or got a shorter interval', () => {
    const late = { last_run_at: '2026-05-14T11:48:30.000Z', interval_seconds: 3_600 }
    const dueIn = (minutes: number) => stateOf({ ...late, due_at: new Date(NOW + minutes * 60_000).toISOString() })
    expect([-14, 0, 60].map(dueIn)).toEqual(['changed', 'changed', 'changed'])
    // Nobody does it, or there are no runs before then.
    expect([-15, 61].map(dueIn)).toEqual(['overdue', 'overdue'])
  })

  test('has words and a meaning that the documentation repeats', () => {
    const page = readFileSync(new URL('../../../docs/status-pages.md', import.meta.url), 'utf8')
    const rows = Array.from(page.matchAll(/^\| `([^`]+)`\s*\| (.*?)\s*\|$/gm), ([, words, meaning]) => [words, meaning])
    expect(new Map(rows as [string, string][])).toEqual(
      new Map(Object.values(PUBLIC_STATES).map(({ words, meaning }) => [words, meaning])),
    )
  })
})

describe('a change on a status page', () => {
  const wordsOf = (part: Partial<typeof CHANGE>, isShown = true) =>
    publicMonitor({ ...FACTS, show_value: isShown, summary: { value: null, change: { ...CHANGE, ...part } } }, NOW)
      .change?.words

  test('has its values only where they were chosen', () => {
    expect(wordsOf({})).toBe('price changed from 12 to 13')
    expect(wordsOf({ more: 2 })).toBe('price changed from 12 to 13, and 2 more')
    expect(wordsOf({ more: 2 }, false)).toBe('Changed')
    expect(wordsOf({ field: '' })).toBe('The picture changed')
    expect(wordsOf({ field: 'content_hash', before: null, after: null } as never)).toBe('The text changed')
  })

  test('has none of them from before they were chosen', () => {
    const [early, late] = ['0198', '0199'].map((run_id) => ({ value: null, change: { ...CHANGE, run_id } }))
    const shown = [early, late].map((summary) =>
      publicMonitor({ ...FACTS, summary, values_floor: '0199' } as never, NOW),
    )
    expect(shown.map(({ change }) => change?.words)).toEqual(['Changed', 'price changed from 12 to 13'])
  })

  test('of a run has the same words', () => {
    const field = { field: 'price', before: '12', after: '13', percent: 8.3 }
    expect(runChangeWords({ fields: [field, field], more: 1 }, true)).toBe('price changed from 12 to 13, and 2 more')
    expect(runChangeWords({ fields: [field], more: 0 }, false)).toBe('Changed')
    expect(runChangeWords({ fields: [], more: 0 }, true)).toBe('The picture changed')
    expect(runChangeWords(null, true)).toBe('Changed')
  })
})

test('a value from before an edit that changed what it means is not shown', () => {
  expect(publicMonitor(FACTS, NOW).value).toEqual({ field: 'price', text: '13' })
  expect(publicMonitor({ ...FACTS, has_reading: false }, NOW).value).toBeNull()
})

test('a text of somebody else loses what is not seen, and keeps joined letters', () => {
  expect(seen('a\u202eb\u0000c\n d\u2066e\ufeff')).toBe('abc de')
  expect(seen('\u0646\u200c\u0645 \u{1f468}\u200d\u{1f469}')).toBe('\u0646\u200c\u0645 \u{1f468}\u200d\u{1f469}')
})

test.each([
  [30_000, 'just now'],
  [-MINUTE, 'just now'],
  [MINUTE, '1 minute ago'],
  [59.9 * MINUTE, '59 minutes ago'],
  [60 * MINUTE, '1 hour ago'],
  [47.9 * 60 * MINUTE, '47 hours ago'],
  [48 * 60 * MINUTE, '2 days ago'],
])('what was %d ms ago is written as %s', (ms, words) => {
  expect(agoWords(NOW - ms, NOW)).toBe(words)
})

test('an instant is written in UTC', () => expect(dateWords(NOW)).toBe('24 May 2026 at 14:03 UTC'))
