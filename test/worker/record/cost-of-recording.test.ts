import { afterAll, describe, expect, test } from 'vitest'
import { diffValues } from '../../../core/diff/diff-values.ts'
import { readingHash } from '../../../core/diff/reading-hash.ts'
import { listChanges } from '../../../core/payload.ts'
import { judge } from '../../../core/predicate/judge.ts'
import { boundValues } from '../../../runners/extract/text/truncate.ts'
import { createPatternMatcher } from '../../../runners/pattern/pattern-matcher.ts'
import type { Baseline } from '../../../store/queue/baselines.ts'
import { createSecretBox } from '../../../store/secrets/secret-box.ts'
import { emptied, vanished } from '../../../worker/record/lost-fields.ts'
import { outboxOf } from '../../../worker/record/outbox.ts'
import { largestChanges } from '../../deliveries/messages/largest-changes.ts'
import { dearness, MAX_TIMES, UNMEASURED_MS } from '../../support/run/dearness.ts'
import { parsingMs } from '../../support/run/parsing-ms.ts'

const changes = largestChanges()
/** Writing is no judging: it costs a few times what reading the same costs. */
const WRITTEN_TIMES = 8
const textOf = (...values: readonly unknown[]) => JSON.stringify(values)

const patterns = createPatternMatcher()
afterAll(() => patterns.close())

const secrets = createSecretBox('a key of the tests, which is long enough')
const teamId = '00000000-0000-4000-8000-000000000001'
const monitorId = '00000000-0000-4000-8000-000000000002'
/** As many destinations as a monitor may have, with the longest addresses and headers. */
const destinations = Array.from({ length: 25 }, (_, n) => ({
  type: 'webhook',
  url: `https://example.com/${n}?${'x'.repeat(2_000)}`,
  headers: Object.fromEntries(Array.from({ length: 20 }, (__, h) => [`x-${h}`, 'h'.repeat(2_048)])),
}))
const baseline = {
  monitor_id: monitorId,
  url: `https://example.com/?${'&'.repeat(2_000)}`,
  name: '&'.repeat(200),
  lists: null,
  diff_predicate: { type: 'any_field_changes' },
  deliveries: secrets.seal({ teamId, column: 'monitors.deliveries', rowId: monitorId }, destinations),
} as unknown as Baseline

describe.each(changes)('the largest reading with another one before it, $name', ({ before, after }) => {
  const order = Object.keys(after)
  const both = textOf(before, after)

  test('is bounded, recognized and compared in a multiple of reading both', () => {
    const work = [
      () => boundValues(after),
      () => readingHash(after),
      () => diffValues(before, after, order),
      () => listChanges({ fields_changed: order, before, after }),
      () => vanished({ before, missing: null, lists: null, after: {}, names: order }),
      () => emptied({ before, after, names: order, empty: null }),
    ]
    for (const step of work) expect(dearness(step, both)).toBeNull()
  })

  test('is judged in a multiple of reading both, also where a pattern is tried on each field', async () => {
    const conditions = order
      .slice(0, 25)
      .map((field) => ({ type: 'field_matches_regex', field, pattern: '\\d$' }) as const)
    const predicate = { type: 'composite', operator: 'AND', conditions } as const
    const most = UNMEASURED_MS + MAX_TIMES * parsingMs(both)
    const times: number[] = []
    while (times.length < 3 && !times.some((ms) => ms <= most)) {
      const from = process.threadCpuUsage()
      await judge({ before, after, order, predicate }, (question) => patterns.matches(question, { key: teamId }))
      const { user, system } = process.threadCpuUsage(from)
      times.push((user + system) / 1_000)
    }
    expect(Math.min(...times)).toBeLessThanOrEqual(most)
  })

  test('is written for each of 25 destinations in a multiple of what is stored', () => {
    const diff = diffValues(before, after, order)
    const fired = { runId: teamId, teamId, firedAtMs: Date.UTC(2026, 4, 1), diff, values: after, baseline }
    const rows = outboxOf(fired, secrets)
    expect(rows).toHaveLength(25)
    const stored = `[${rows.map(({ payload }) => payload).join()}]`
    expect(dearness(() => outboxOf(fired, secrets), stored, WRITTEN_TIMES)).toBeNull()
  })
})

test('ten readings cost no more than a multiple of reading ten', () => {
  const read = textOf(changes.slice(0, 10).map(({ before, after }) => [before, after]))
  const record = () => {
    for (const { before, after } of changes.slice(0, 10)) {
      readingHash(after)
      const diff = diffValues(before, after, Object.keys(after))
      if (diff) listChanges(diff)
    }
  }
  expect(dearness(record, read)).toBeNull()
})
