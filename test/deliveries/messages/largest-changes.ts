import { randomUUID } from 'node:crypto'
import { diffValues } from '../../../core/diff/diff-values.ts'
import { deliveryPayload, listChanges } from '../../../core/payload.ts'
import { boundValues } from '../../../runners/extract/text/truncate.ts'
import { VALUE_LIMITS } from '../../../schema/monitor/value-limits.ts'
import type { DeliveryPayload } from '../../../schema/run/delivery.ts'
import type { Values } from '../../../schema/shape/json.ts'

/** As many bytes as all fields of a run have together. */
const ALL = VALUE_LIMITS.resultBytes - 2_000
const FIELDS = 50

type Reading = (mark: string) => Values

const fields = (value: (at: number) => Values[string], name = 'f'): Values =>
  Object.fromEntries(Array.from({ length: FIELDS }, (_, at) => [`${name.repeat(97)}${at}`, value(at)]))
/** Four fields of a text that has this unit over and over, after what differs. */
const texts =
  (unit: string): Reading =>
  (mark) =>
    fields((at) => (at < 4 ? mark + unit.repeat(Math.floor(ALL / 4 / Buffer.byteLength(unit))) : mark))
const nested = (mark: string, depth: number): Values[string] => (depth === 0 ? mark : [nested(mark, depth - 1)])

/** Readings that cost the most to compare and to show, by what is much in them. */
const READINGS: Readonly<Record<string, Reading>> = {
  letters: texts('x'),
  'marks of HTML': texts('&<>"'),
  'marks of chats': texts('*_`@<>'),
  'white space': texts(' \t'),
  'line breaks': texts('\n'),
  'Arabic letters': texts('ع'),
  'Chinese letters': texts('水'),
  emoji: texts('👍'),
  'control characters': texts('\u2028\u0085'),
  'numbers of many digits': (mark) => fields(() => `$${mark === 'a' ? 1 : 2}${'9'.repeat(ALL / FIELDS - 200)}`),
  'fifty texts': (mark) => fields(() => mark + '&'.repeat(ALL / FIELDS - 200), '&'),
  'fifty texts of Chinese letters': (mark) => fields(() => mark + '水'.repeat(ALL / FIELDS / 3 - 200), '水'),
  'fifty lists': (mark) => fields(() => Array.from({ length: 400 }, (_, at) => `${mark}${at}"`)),
  'a list of a thousand items': (mark) => ({
    list: Array.from({ length: VALUE_LIMITS.items }, (_, at) => `${at} ${mark} ${'&'.repeat(200)}`),
  }),
  'a list in another order': (mark) => {
    const list = Array.from({ length: VALUE_LIMITS.items }, (_, at) => `${at} ${'x'.repeat(200)}`)
    return { list: mark === 'a' ? list : list.toReversed() }
  },
  'small objects': (mark) => fields(() => Array.from({ length: 200 }, (_, at) => ({ [mark]: at }))),
  'nested lists': (mark) => fields(() => nested(mark, 150)),
}

interface LargestChange {
  readonly name: string
  readonly before: Values
  readonly after: Values
  readonly payload: DeliveryPayload
}

/** Returns the payloads of the largest changes that a run can have, as they are stored. */
export function largestChanges(): LargestChange[] {
  return Object.entries(READINGS).map(([name, reading]) => {
    const before = boundValues(reading('a')).values
    const after = boundValues(reading('b')).values
    const diff = diffValues(before, after, Object.keys(after))
    const payload = deliveryPayload({
      id: randomUUID(),
      monitorId: randomUUID(),
      runId: randomUUID(),
      firedAtMs: Date.UTC(2026, 4, 1),
      diff,
      lists: diff && listChanges(diff),
      monitor: { url: `https://example.com/?${'&'.repeat(2_000)}`, name: '&'.repeat(200) },
      numericFields: diff?.fields_changed ?? [],
      visual: { change_pct: 99.99, threshold_pct: 0 },
    })
    return { name, before, after, payload }
  })
}

const result = (at: number, mark: string) => ({
  rank: at + 1,
  title: `${mark}${at} ${'&'.repeat(400)}`,
  description: '<'.repeat(1_500),
  domain: `https://${mark}${at}.example/`,
})

/** Returns the payloads that have a block beside those of every delivery, as large as it may be. */
export function largestBlocks(): Pick<LargestChange, 'name' | 'payload'>[] {
  const shared = {
    id: randomUUID(),
    monitorId: randomUUID(),
    runId: randomUUID(),
    firedAtMs: Date.UTC(2026, 4, 1),
    diff: null,
    monitor: { url: `https://example.com/?${'&'.repeat(2_000)}`, name: '&'.repeat(200) },
  }
  const hash = (digit: string) => ({ content_hash: digit.repeat(64) })
  const diff = { fields_changed: ['content_hash'], before: hash('1'), after: hash('2') }
  const results = (mark: string) => Array.from({ length: 1_000 }, (_, at) => result(at, mark))
  const keyword = '&'.repeat(2_048)
  return [
    {
      name: 'a whole page',
      payload: deliveryPayload({
        ...shared,
        diff,
        text: { lines_added: 1e6, lines_removed: 1e6, excerpt: `+ ${'"'.repeat(330)}\n`.repeat(12) },
      }),
    },
    {
      name: 'a rank',
      payload: deliveryPayload({
        ...shared,
        serp: { keyword, target_domain: '"'.repeat(2_048), rank: 1, previous_rank: 1_000, rank_delta: 999 },
      }),
    },
    {
      name: 'all results',
      payload: deliveryPayload({
        ...shared,
        serp_analysis: { keyword, results: results('a'), previous_results: results('b') },
      }),
    },
  ]
}
