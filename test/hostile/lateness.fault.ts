import { expect, onTestFinished, test } from 'vitest'
import { CLEAN, HOSTILE, type Lateness, openLatenessWorker, type Waited } from './lateness-worker.ts'

/**
 * Hostile checks that were due later and that a claim took before a clean one. A check may become due while a claim is
 * under way.
 */
const MAX_CLAIMED_BEFORE = 2
/**
 * Hostile checks that were due later and began before a clean one. Hosts take turns, and for each ten clean checks one
 * hostile check becomes due. On a busy machine a check waits for seconds: then both kinds begin before it, and the
 * share of the hostile ones still shows that nothing of theirs holds up the clean ones.
 */
const mostStartedBefore = ({ clean }: Waited) => HOSTILE / 2 + clean / 5

const p99 = (values: readonly number[]): number => values[Math.ceil(values.length * 0.99) - 1] ?? Number.NaN

function print(company: string, lateness: Lateness): void {
  const figures = (['claimed', 'started', 'ended'] as const).map((of) => `${of} ${p99(lateness[of]).toFixed(0)}`)
  process.stdout.write(`${CLEAN} clean monitors ${company}: p99 of ${figures.join(', ')} ms after the due time\n`)
}

// The milliseconds are printed and not judged: other work of the machine makes them longer. The order is the product's.
test('fifty hostile monitors make five hundred clean ones no later', async () => {
  const worker = await openLatenessWorker()
  onTestFinished(() => worker[Symbol.asyncDispose]())
  const alone = await worker.measure('alone')
  print('alone', alone)
  const beside = await worker.measure('with hostile')
  print(`beside ${HOSTILE} hostile ones`, beside)

  const { claimed, started } = beside.passed
  const most = Math.max(...started.map(({ hostile }) => hostile))
  process.stdout.write(`passed by at most ${claimed.at(-1)} hostile checks at a claim, ${most} at a start\n`)
  expect(claimed.length).toBeGreaterThanOrEqual(2 * CLEAN)
  expect(claimed.at(-1)).toBeLessThanOrEqual(MAX_CLAIMED_BEFORE)
  expect(started.length).toBeGreaterThan(0)
  expect(started.filter((waited) => waited.hostile > mostStartedBefore(waited))).toEqual([])
  // They did run, and met the limits of every kind.
  const codes = Object.keys(await worker.hostileRuns())
  for (const code of [
    '',
    'bad_encoding',
    'connect_failed',
    'extract_timeout',
    'too_complex',
    'too_large',
    'too_many_redirects',
  ])
    expect(codes).toContain(code)
})
