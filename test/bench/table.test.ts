import { describe, expect, test } from 'vitest'
import { flatnessOf } from '../../bench/results/besides-table.ts'
import type { Results } from '../../bench/results/results.ts'
import { tableOf, withTable } from '../../bench/results/table.ts'

const spread = (median: number) => ({ median, min: median / 2, max: median * 2 })
const results: Results = {
  date: '2026-02-03T04:05:06.000Z',
  quick: false,
  machine: { cores: 2, node: '24.0.0', postgres: '18.0' },
  throughput: [
    {
      kind: 'changed',
      checks: 100,
      rounds: 5,
      ours: spread(600),
      bare: spread(1000),
      ratio: spread(0.6),
      cpu: { worker: 1500.4, postgres: 99.6 },
      memory: {
        checks: 400,
        warm: { heapBytes: 20_000_000, rssBytes: 100_000_000 },
        end: { heapBytes: 21_000_000, rssBytes: 99_000_000 },
      },
    },
  ],
  bytesPerUnchangedRun: 110.2,
  claims: [
    { monitors: 10_000, us: spread(20) },
    { monitors: 100_000, us: spread(25) },
    { monitors: 10_000, above: 100_000, us: spread(21) },
  ],
  lateness: null,
  reads: [{ route: 'GET /x', ours: spread(80), bare: spread(100), ratio: spread(0.8), cpu: { ours: 120, bare: 90 } }],
  deliveries: {
    deliveries: 10_000,
    sinks: 100,
    p99Ms: spread(3000),
    p99WithDeadMs: spread(3100),
    digests: 500,
    digestsMs: spread(4000),
    p99BesideDigestsMs: spread(3200),
    pacedPerSecond: 200,
    p99PacedMs: spread(40),
    p99PacedBesideDigestsMs: spread(45),
    digestsBesidePacedMs: spread(3_200),
    p99BareMs: spread(2000),
  },
  setUp: { all: 400_000_000, production: 200_000_000 },
  startUp: null,
  commands: { helpMs: 120, checkMs: 512.4, readyMs: 900, restBytes: 151_000_000 },
  packaged: { helpMs: 50, checkMs: 250, readyMs: 600, restBytes: 131_000_000 },
  browser: {
    checks: 40,
    rounds: 5,
    atOnce: 4,
    ours: spread(8),
    bare: spread(10),
    ratio: spread(0.8),
    memory: {
      checks: 500,
      warm: { processBytes: 150_000_000, withBrowserBytes: 400_000_000 },
      end: { processBytes: 153_000_000, withBrowserBytes: 380_000_000 },
    },
    media: { ours: spread(6), bare: spread(3), ratio: spread(2), oursBytes: 250_000, bareBytes: 2_400_000 },
  },
  operator: {
    date: '2026-02-01T04:05:06.000Z',
    resources: 10_000,
    first: { recordsMs: 41_000, statusesMs: 42_000, refused: 0, cpuMs: 30_000, mostBytes: 250_000_000 },
    again: { ms: spread(8_000), cpuMs: 7_000, mostBytes: 240_000_000, writes: 0 },
    resultsMs: 20_000,
    firstRun: { applied: 50, ms: spread(300) },
    rest: { runs: 10_050, statusWrites: 0, cpuMsASecond: 12.34 },
  },
  pods: {
    date: '2026-02-02T04:05:06.000Z',
    checks: 100,
    max: 3,
    slots: 4,
    idleSeconds: 5,
    appliedS: 1.5,
    firstClaimS: 6.25,
    doneS: 60,
    noPodsS: 66.1,
    pods: [0, 0, 1, 3, 3, 3, 3, 2, 1, 0],
  },
  dashboard: {
    date: '2026-02-04T04:05:06.000Z',
    monitors: [10_000, 100_000],
    answers: [{ monitors: 100_000, what: 'sort=name', p50Ms: 90.2, p95Ms: 154 }],
    browser: {
      codeBytes: 171_213,
      firstRowsMs: [240, 257],
      slowedMs: [684],
      requests: 5,
      gapMs: 29,
      longestTaskMs: 0,
      elements: 770,
      heapBytes: 7_000_000,
      keyMs: [20, 26],
      letterMs: [200, 243],
    },
    changesMs: [900, 1_483],
    streams: [
      { kind: 'unchanged', checks: 24_000, streams: 200, share: spread(0.99), cpu: { beside: 103, without: 102 } },
    ],
  },
  screens: {
    date: '2026-02-05T04:05:06.000Z',
    size: { monitors: 10_000, deliveries: 100_000, dead: 5_000, audits: 50_000, people: 2_000 },
    screens: [{ screen: '/keys', firstRowsMs: [400, 512], moreBytes: 20_480 }],
    replay: { deliveries: 5_000, queuedMs: 2_600, audited: 5_000, alone99Ms: 20, beside99Ms: 24 },
    mute: { monitors: 10_000, ms: 900 },
    statusPage: { monitors: 200, looksMs: [1, 2.25], compressedBytes: 8_192 },
  },
  visual: { megapixels: 12.8, cases: [{ name: 'one digit', wholeMs: spread(48), compareMs: spread(9) }] },
}

/** Columns are padded. */
const squeezed = (text: string) => text.replace(/ +/g, ' ')

describe('the table of results', () => {
  test('has each row beside its bare loop, with the share of it', () => {
    expect(squeezed(tableOf(results))).toContain(
      '| page changed each time, one CSS field | 600 (300–1,200) | 1,000 (500–2,000) | **60 %** (30 %–120 %) | ' +
        '1,500 + 100 |',
    )
  })

  test('has reads, memory, deliveries and peers beside what they are measured by', () => {
    const table = squeezed(tableOf(results))
    expect(table).toContain('| `GET /x` | 80 (40–160) | 100 (50–200) | **80 %** (40 %–160 %) | 120 and 90 |')
    expect(table).toContain(
      '| heap of a warm worker, pages that change each time, 400 checks more | 20 → 21 MB (+5 %) | ≤ +10 % |',
    )
    expect(table).toContain('| `tidemark check` in a clone of a small file, processor time | 512 ms | < 700 ms |')
    expect(table).toContain('| `tidemark serve` of the package until it says that it runs, later | 0.60 s | ≤ 0.7 s |')
    expect(table).toContain('| resident memory of `tidemark serve` of the package at rest | 131 MB | ≤ 132 MB |')
    expect(table).toContain('| 10,000 webhooks due at once to 100 sinks, p99 late | 3.0 s (1.5–6.0) | ≤ 5 s |')
    expect(table).toContain('| 10,000 changes more in 500 digests, all arrived | 4.0 s (2.0–8.0) | |')
    expect(table).toContain('| the same beside the digests | 45 (23–90) ms | no later |')
    expect(table).toContain('| pages that change each time | 600 | 569 (1.1 ×) | 52 (11.5 ×) | 40 (15.0 ×) |')
  })

  test('has browser checks beside a bare Playwright, what they occupy, and what comparing pictures costs', () => {
    const table = squeezed(tableOf(results))
    expect(table).toContain(
      '| page made by its script, 4 at once | 8.0 (4.0–16.0) | 10.0 (5.0–20.0) | **80 %** (40 %–160 %); goal ≥ 80 % |',
    )
    expect(table).toContain(
      '| page with 90 images, for its values; 250 KB in place of 2,400 | 6.0 (3.0–12.0) | 3.0 (1.5–6.0) | ' +
        '**200 %** (100 %–400 %); goal ≥ 150 % |',
    )
    expect(table).toContain(
      '| resident memory of a warm runner, browser checks, 500 more | 150 → 153 MB (+2 %) | ≤ +10 % |',
    )
    expect(table).toContain('| with its browser, browser checks, 500 more | 400 → 380 MB (−5 %) | |')
    expect(table).toContain(
      '| comparing two pictures of 12.8 megapixels, one digit, a megapixel | 48.0 (24.0–96.0) ms of CPU; 9.0 ' +
        'without decoding and drawing | |',
    )
  })

  test('has pods over time', () => {
    const table = squeezed(tableOf(results))
    expect(table).toContain('| 100 browser checks at once, 3 pods of 4 at most, 2026-02-02 | came to |')
    expect(table).toContain('| the last check ended | 60.0 s |')
    expect(table).toContain('| pods, every fifth second | 3 0 |')
  })

  test('has the operator beside its goals, with the day it was measured', () => {
    const table = squeezed(tableOf(results))
    expect(table).toContain('| operator of 10,000 resources, 2026-02-01 | came to | goal |')
    expect(table).toContain('| started again, nothing to change | 8.0 s (4.0 s–16.0 s); 7.0 s of CPU | < 30 s |')
    expect(table).toContain('| status writes of 10,050 unchanged runs, as in an hour | 0 | 0 |')
    expect(tableOf({ ...results, operator: null })).not.toContain('operator')
  })

  test('has the dashboard beside its goals', () => {
    const table = squeezed(tableOf(results))
    expect(table).toContain('| the dashboard, 2026-02-04 | came to | goal |')
    expect(table).toContain('| `/v1/overview`, sort=name, 100,000 monitors: p50, p95 | 90 ms, 154 ms | p95 ≤ 200 ms |')
    expect(table).toContain('| code and styles until the list, compressed | 167 KB | ≤ 190 KB |')
    expect(table).toContain('| letter in the search to rows, p95 | 243 ms | ≤ 250 ms |')
    expect(table).toContain('| a recorded change to the screen, 100,000 monitors, most | 1,483 ms | ≤ 3,000 ms |')
    expect(table).toContain(
      'unchanged pages | **99 %** (50 %–198 %); 103 and 102 µs of CPU a check | no row is worse |',
    )
  })

  test('has the other screens beside their goals', () => {
    const table = squeezed(tableOf(results))
    expect(table).toContain(
      'with 100,000 deliveries, 50,000 events, 2,000 members and keys, 2026-02-05 | came to | goal |',
    )
    expect(table).toContain('| `/keys`: first rows, most | 512 ms | ≤ 1,000 ms |')
    expect(table).toContain('| 5,000 dead deliveries sent again: until they are queued | 2,600 ms | ≤ 10 s |')
    expect(table).toContain('| a status page of 200 monitors: p95 | 2.3 ms | ≤ 20 ms |')
  })

  test('says how the cost of a claim grows with the monitors', () => {
    expect(flatnessOf(results.claims)).toBe(1.25)
    expect(squeezed(tableOf(results))).toContain('| claiming one check, 100,000 monitors due | 25.0 µs (12.5–50.0) |')
    expect(squeezed(tableOf(results))).toContain('| claiming one check, 10,000 monitors due behind 100,000 above the')
  })

  test('has columns of one width, as the formatter of this repository would set them', () => {
    const table = tableOf(results).split('\n\n')[1] ?? ''
    expect(new Set(table.split('\n').map((line) => line.length)).size).toBe(1)
  })

  test('leaves out what was not measured', () => {
    expect(tableOf(results)).not.toContain('npm start')
    const partial = {
      ...results,
      throughput: [],
      reads: [],
      browser: null,
      visual: null,
      pods: null,
      dashboard: null,
      screens: null,
      bytesPerUnchangedRun: null,
    }
    expect(tableOf(partial)).not.toMatch(/checks per second|browser|pictures|NaN|on disk/)
    expect(flatnessOf(results.claims.slice(0, 1))).toBeNull()
  })

  test('is put into the page again and again, and what is written by hand stays', () => {
    const page = 'Before\n\n<!-- results: written by bench/main.ts -->\nold\n<!-- end of results -->\n\nAfter\n'
    const once = withTable(page, '| new |')
    expect(once).toContain('| new |')
    expect(once).not.toContain('old')
    expect(once.startsWith('Before\n') && once.endsWith('\nAfter\n')).toBe(true)
    expect(withTable(once, '| new |')).toBe(once)
  })

  test('is not put into a page that has no marks for it', () => {
    expect(() => withTable('a page', '| new |')).toThrow('no place')
  })
})

test('the soak shows resident memory after a rest where it had one, and the edits that were refused', () => {
  const cost = { claimUs: 20, cpu: { worker: 900, postgres: 300 }, lateMs: [], residentBytes: 3e8 }
  const round = { ...cost, checksPerSecond: 5_000, tableBytes: 3e8, indexBytes: 1e8 }
  const busy = { heapBytes: 9e7, rssBytes: 6e8 }
  const soak = {
    monitors: 1_000_000,
    perSecond: 5_000,
    rounds: 60,
    roundSeconds: 60,
    date: results.date,
    tableBytes: 2e8,
    indexBytes: 1e8,
    first: round,
    last: round,
    mostBytes: 4e8,
    lateP50Ms: 20,
    lateP99Ms: 200,
    vacuums: 9,
    memory: { warm: { ...busy, restedBytes: 3e8 }, end: { ...busy, restedBytes: 3.1e8 } },
    edits: { count: 30_000, refused: 2, p50Ms: 9, p99Ms: 40 },
  }
  const rested = tableOf({ ...results, soak })
  expect(rested).toMatch(/resident memory of the worker +\| 600 MB +\| 600 MB +\| +\|/)
  expect(rested).toMatch(/the same after a rest +\| 300 MB +\| 310 MB +\| flat +\|/)
  expect(rested).toContain('30,000 edits, 2 more refused: p50, p99')
  const short = tableOf({
    ...results,
    soak: { ...soak, memory: { warm: busy, end: busy }, edits: { count: 9, p50Ms: 9, p99Ms: 40 } },
  })
  expect(short).toMatch(/resident memory of the worker +\| 600 MB +\| 600 MB +\| flat +\|/)
  expect(short).not.toMatch(/the same after a rest +\|/)
  expect(short).toContain('9 edits: p50, p99')
})
