import { expect, test, vi } from 'vitest'
import { FULL, only, QUICK, runBench, unnamed } from '../../bench/run-bench.ts'
import { OVERVIEW_ORDERS } from '../../schema/overview/overview.ts'
import { hasBrowser } from '../dashboard/open-dashboard.ts'
import { describeWithApiServer } from '../support/kubernetes/kube-assets.ts'
import { describeIf } from '../support/run/skip.ts'

// What is measured here is no goal: on a busy machine all of it may take long.
vi.setConfig({ testTimeout: 400_000 })

test(
  'the bench measures both kinds of static check with the real worker, and every check of a round is recorded ' +
    'exactly once',
  async () => {
    const said: string[] = []
    const found = await runBench(
      {
        checks: {
          rows: [
            { kind: 'unchanged', checks: 300, rounds: 1 },
            { kind: 'changed', checks: 60, rounds: 1 },
          ],
          latenessSeconds: 0,
        },
        claims: null,
        reads: { requests: 40, rounds: 1 },
        deliveries: { deliveries: 200, rounds: 1 },
        start: null,
        browser: null,
        visual: null,
        documents: { rounds: 1, pages: 2, rows: 20 },
        operator: null,
        retention: null,
        soak: null,
        urlwatch: null,
        neighbour: null,
        dashboard: null,
        screens: null,
        looks: null,
        images: null,
        pods: null,
      },
      (line) => said.push(line),
    )
    expect(found.throughput.map(({ kind }) => kind)).toEqual(['unchanged', 'changed'])
    for (const { ours, bare, ratio } of found.throughput) {
      expect(ours.median).toBeGreaterThan(0)
      expect(bare.median).toBeGreaterThan(0)
      expect(ratio.median).toBeCloseTo(ours.median / bare.median)
    }
    for (const { memory } of found.throughput) expect(memory.end.heapBytes).toBeGreaterThan(1_000_000)
    for (const { ours, bare } of found.reads) expect(ours.median + bare.median).toBeGreaterThan(0)
    expect(found.reads).toHaveLength(4)
    expect(found.documents?.cases.map(({ ms }) => ms.median > 0)).toEqual([true, true, true, true])
    expect(found.deliveries?.p99Ms.median).toBeGreaterThan(0)
    expect(found.setUp.all).toBeGreaterThan(found.setUp.production)
    expect(found.bytesPerUnchangedRun).toBeGreaterThan(0)
    expect(said).toContain('unchanged: 1 rounds of 300')
  },
)

const ONLY_NEW = {
  checks: null,
  claims: null,
  reads: null,
  deliveries: null,
  start: null,
  documents: null,
  operator: null,
  retention: null,
  soak: null,
  urlwatch: null,
  neighbour: null,
  dashboard: null,
  screens: null,
  looks: null,
  images: null,
  pods: null,
} as const

/** Each of these takes as long as a hundred tests, and judges nothing of the product. */
const isWhole = process.env['TIDEMARK_TEST_BENCH'] === '1'
const describeWhole = describeIf(isWhole, 'set TIDEMARK_TEST_BENCH=1', { isBeyondCi: true })

describeWhole('the other parts of the bench', () => {
  test('measure browser checks beside a bare loop, their memory, and the comparing of pictures', async () => {
    const sizes = {
      ...ONLY_NEW,
      browser: { checks: 2, rounds: 2, atOnce: 2, watched: 3, mostSeconds: 300 },
      visual: { rounds: 1, height: 1_400 },
    }
    const { browser, visual, throughput, claims } = await runBench(sizes, () => {})
    expect([throughput, claims]).toEqual([[], []])
    expect(browser?.ratio.median).toBeGreaterThan(0)
    expect(browser?.memory.checks).toBe(3)
    expect(browser?.media.oursBytes).toBeLessThan((browser?.media.bareBytes ?? 0) / 2)
    expect(browser?.memory.end.withBrowserBytes).toBeGreaterThan(browser?.memory.end.processBytes ?? Infinity)
    expect(visual?.cases.map(({ name }) => name)).toEqual(['same picture', 'one digit', 'all moved down'])
    // Which of the two takes longer is for the bench: on a busy machine three rounds do not say it.
    for (const { wholeMs, compareMs } of visual?.cases ?? []) {
      expect(wholeMs.median).toBeGreaterThan(0)
      expect(compareMs.median).toBeGreaterThan(0)
    }
  })

  describeWithApiServer('the bench of an operator', () => {
    test('measures its starts, first runs and rest, and sees no write where nothing changed', async () => {
      const size = { resources: 20, restarts: 1, applied: 2, restSeconds: 1 }
      const { operator } = await runBench({ ...ONLY_NEW, browser: null, visual: null, operator: size }, () => {})
      expect(operator).toMatchObject({
        resources: 20,
        first: { refused: 0 },
        again: { writes: 0 },
        firstRun: { applied: 2 },
        rest: { statusWrites: 0 },
      })
      // One of each, and one more where a scheduled run fell into the time.
      expect(operator?.rest.runs).toBeGreaterThanOrEqual(22)
      expect(operator?.first.mostBytes).toBeGreaterThan(50_000_000)
      expect(operator?.again.ms.median).toBeGreaterThan(0)
    })
  })

  test('the bench of retention deletes and drops what is old beside checks that go on, and sees no wait', async () => {
    const retention = { runs: 20_000, monitors: 20, restSeconds: 1 }
    const found = await runBench({ ...ONLY_NEW, browser: null, visual: null, retention }, () => {})
    expect(found.retention).toMatchObject({ runs: 20_000, waits: 0 })
    const { deleted = 0, dropped = 0, months, before, during } = found.retention ?? {}
    // 120 days of 300 are older than the window; a run of each monitor stays for the next one.
    expect(deleted + dropped).toBeGreaterThan(7_900)
    expect(deleted + dropped).toBeLessThan(8_100)
    expect(months).toBeGreaterThanOrEqual(3)
    expect(before?.count).toBeGreaterThan(0)
    expect(during?.p99Ms).toBeGreaterThan(0)
  })

  test('the soak checks monitors at their intervals, and tells what a claim costs and what tables take', async () => {
    const size = { monitors: 1_200, perSecond: 20, rounds: 2, roundSeconds: 10 }
    const found = await runBench({ ...ONLY_NEW, browser: null, visual: null, soak: size }, () => {})
    const { first, last, edits, memory, tableBytes = 0 } = found.soak ?? {}
    for (const round of [first, last]) {
      expect(round?.claimUs).toBeGreaterThan(0)
      expect(round?.checksPerSecond).toBeGreaterThan(0)
      expect(round?.tableBytes).toBeGreaterThanOrEqual(tableBytes)
    }
    expect(edits?.count).toBeGreaterThan(0)
    expect(memory?.end.heapBytes).toBeGreaterThan(1_000_000)
  })

  test('the bench of a neighbour measures it alone and beside each kind of dear request', async () => {
    const neighbour = { seconds: 1, atOnce: 3 }
    const found = await runBench({ ...ONLY_NEW, browser: null, visual: null, neighbour }, () => {})
    const { rows = [] } = found.neighbour ?? {}
    expect(rows.map(({ beside }) => beside)).toEqual([
      null,
      'the largest bodies',
      'the longest lists',
      'the largest records',
      'backtests with slow patterns',
      'an import of large monitors',
      'runs of a hundred monitors at once',
      'previews of the largest pages',
    ])
    for (const { count, p50Ms, mostMs, mostBytes } of rows) {
      expect(count).toBeGreaterThan(0)
      expect(mostMs).toBeGreaterThanOrEqual(p50Ms)
      expect(mostBytes).toBeGreaterThan(50_000_000)
    }
  })

  describeIf(hasBrowser, 'there is no embedded browser for this platform')('the bench of the dashboard', () => {
    test('has every figure of the list, a change to the screen, and checks beside streams', async () => {
      const size = {
        monitors: [200],
        asks: 2,
        loads: 1,
        changes: 1,
        streams: { streams: 10, rounds: 1, rows: [{ kind: 'changed', checks: 60 }] },
      } as const
      const found = await runBench({ ...ONLY_NEW, browser: null, visual: null, dashboard: size }, () => {})
      if (!found.dashboard) throw new Error('the dashboard was not measured')
      const { answers, browser, changesMs, streams } = found.dashboard
      expect(answers).toHaveLength(OVERVIEW_ORDERS.length + 6)
      for (const { p50Ms, p95Ms } of answers) expect(p95Ms).toBeGreaterThanOrEqual(p50Ms)
      expect(browser.codeBytes).toBeGreaterThan(50_000)
      expect(browser.requests).toBeLessThanOrEqual(6)
      for (const times of [browser.firstRowsMs, browser.slowedMs, browser.keyMs, browser.letterMs, changesMs])
        expect(Math.min(...times)).toBeGreaterThan(0)
      expect(changesMs).toHaveLength(1)
      expect(streams).toMatchObject([{ kind: 'changed', checks: 60, streams: 10 }])
      for (const { share, cpu } of streams) expect(Math.min(share.min, cpu.beside)).toBeGreaterThan(0)
    })

    test('has every figure of the other screens, a replay, a mute and a status page', async () => {
      const some = { monitors: 120, deliveries: 200, dead: 60, audits: 60, people: 20 }
      const size = { ...some, loads: 1, shown: 110, looks: 2 }
      const found = await runBench({ ...ONLY_NEW, browser: null, visual: null, screens: size }, () => {})
      if (!found.screens) throw new Error('the screens were not measured')
      const { screens, replay, mute, statusPage } = found.screens
      expect(screens.map(({ screen }) => screen)).toEqual(['/deliveries', '/audit', '/team', '/keys'])
      for (const { firstRowsMs } of screens) expect(Math.min(...firstRowsMs)).toBeGreaterThan(0)
      expect(replay).toMatchObject({ deliveries: 60, audited: 60 })
      expect(mute).toMatchObject({ monitors: 120 })
      expect(statusPage.looksMs).toHaveLength(2)
      expect(statusPage.compressedBytes).toBeGreaterThan(1_000)
    })

    test('has every figure of making a monitor by pointing', async () => {
      const size = { looks: 1, renders: 1, points: 3, starts: 1 }
      const { looks } = await runBench({ ...ONLY_NEW, browser: null, visual: null, looks: size }, () => {})
      if (!looks) throw new Error('looks were not measured')
      const { lookMs, outlineMs, pressMs, letterMs, elements, firstValue } = looks
      expect([outlineMs, pressMs, letterMs].map(({ length }) => length)).toEqual([3, 3, 3])
      expect(Math.min(...lookMs, ...pressMs, ...letterMs, elements.median)).toBeGreaterThan(0)
      expect(firstValue).toEqual([{ ms: expect.any(Number), actions: 4 }])
    })
  })
})

test('parts of the bench can be chosen by name, and a name that is none is refused', () => {
  expect(only(QUICK, 'claims,visual')).toEqual({
    ...ONLY_NEW,
    browser: null,
    claims: QUICK.claims,
    visual: QUICK.visual,
  })
  expect(only(FULL, Object.keys(FULL).join(','))).toEqual(FULL)
  expect(unnamed(FULL)).toEqual({
    ...FULL,
    documents: null,
    operator: null,
    retention: null,
    soak: null,
    urlwatch: null,
    neighbour: null,
    dashboard: null,
    screens: null,
    looks: null,
    images: null,
    pods: null,
  })
  expect(only(FULL, 'claim')).toMatch(/no part "claim"; the parts are checks, claims, /)
})
