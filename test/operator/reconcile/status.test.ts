import { expect, test } from 'vitest'
import type { CustomResource } from '../../../operator/reconcile/custom-resource.ts'
import { KINDS } from '../../../operator/reconcile/kinds.ts'
import { isNews, statusOf } from '../../../operator/reconcile/status.ts'
import type { ResultsRow } from '../../../store/monitors/monitor-results.ts'

const [MONITORS] = KINDS
const NOW = new Date('2026-11-22T09:00:00.000Z')
const EMOJI = '\u{1F600}'

const resource: CustomResource = {
  metadata: { name: 'kettle', namespace: 'shop', uid: 'u', resourceVersion: '7', generation: 1 },
  spec: { url: 'https://shop.example/kettle', scheduleIntervalSeconds: 900 },
}
const results: ResultsRow = {
  no: 1,
  kind: 'page',
  failures: 5,
  locked: false,
  paused: false,
  last_run_at: NOW.toISOString(),
  next_run_at: NOW.toISOString(),
  no_runs_until: null,
  values: { title: 'x'.repeat(199) + EMOJI, half: '\ud83d' },
  empty_readings: null,
  change_run_id: '0198c0de-0000-7000-8000-000000000001',
  changed_at: NOW.toISOString(),
  diff: { fields_changed: ['title'], before: { title: EMOJI.repeat(150) }, after: { title: 'x'.repeat(199) + EMOJI } },
  team_id: 't',
  monitor_id: 'm',
  failed: null,
  deliveries: null,
  last_error: 'x'.repeat(1_999) + EMOJI,
}
/** A text as the API server keeps it: half a character becomes another one. */
const asKept = <T>(value: T): T => JSON.parse(Buffer.from(JSON.stringify(value)).toString()) as T
const isWellFormed = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.isWellFormed()
    : value === null || typeof value !== 'object' || Object.values(value).every(isWellFormed)

test('texts are cut between characters, so that a status is no news once the API server has it', () => {
  if (!MONITORS) throw new Error('there is no kind')
  const status = statusOf(MONITORS, resource, { kind: 'accepted', id: 'm', running: { results, failed: [] } }, NOW)
  expect(status.values).toEqual({ title: 'x'.repeat(199), half: '' })
  expect(status.lastChange?.fields[0]?.before).toBe(EMOJI.repeat(100))
  expect(isWellFormed(status)).toBe(true)
  const kept = { ...resource, status: asKept(status) }
  expect(
    isNews(kept.status, statusOf(MONITORS, kept, { kind: 'accepted', id: 'm', running: { results, failed: [] } }, NOW)),
  ).toBe(false)
})

test.each([
  [1, 'The last check failed, and not yet 5: No answer. No match: "stock", "tags".'],
  [5, 'No answer. No match: "stock", "tags".'],
])('fields without a match are named after %d failed checks too, which show none', (failures, message) => {
  if (!MONITORS) throw new Error('there is no kind')
  const found = { ...results, failures, last_error: 'No answer.', values: { price: '$1', stock: null, tags: [] } }
  const running = { results: found, failed: [] }
  const { conditions } = statusOf(MONITORS, resource, { kind: 'accepted', id: 'm', running }, NOW)
  expect(conditions?.find(({ type }) => type === 'Healthy')?.message).toBe(message)
})
