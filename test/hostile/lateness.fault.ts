import { expect, onTestFinished, test } from 'vitest'
import { CLEAN, HOSTILE, type Lateness, openLatenessWorker } from './lateness-worker.ts'

/**
 * Hostile checks that were due later and that a claim took before a clean one. A check may become due while a claim is
 * under way.
 */
const MAX_CLAIMED_BEFORE = 2
/**
 * Hostile checks that were due later and began before a clean one. Hosts take turns, and ten hostile checks become due
 * in each second that a clean one waits. On a machine whose clean checks alone begin seconds late, as many more pass.
 */
const mostStartedBefore = (alone: Lateness) => (HOSTILE / 2) * Math.max(1, p99(alone.started) / 1000)

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
  process.stdout.write(`passed by at most ${claimed.at(-1)} hostile checks at a claim, ${started.at(-1)} at a start\n`)
  expect(claimed.length).toBeGreaterThanOrEqual(2 * CLEAN)
  expect(claimed.at(-1)).toBeLessThanOrEqual(MAX_CLAIMED_BEFORE)
  expect(started.length).toBeGreaterThan(0)
  expect(started.at(-1)).toBeLessThanOrEqual(mostStartedBefore(alone))
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
