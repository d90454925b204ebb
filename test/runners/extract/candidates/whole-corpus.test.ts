import { expect, test } from 'vitest'
import { describeIf } from '../../../support/run/skip.ts'
import { clickCorpus, figuresOf, quantile, timeClicks } from './corpus-part.ts'

const shared = process.env['TIDEMARK_SHARED']
/** Clicks on one page, spread over its texts. */
const MOST = 40

/** Double the goal of 150 ms, because a busy machine takes more processor time too. */
const MOST_MS = 300

describeIf(shared !== undefined, 'set TIDEMARK_SHARED to the folder with the recorded pages')(
  'clicks on the texts of the recorded pages',
  () => {
    const clicks = clickCorpus(shared ?? '', MOST)
    const inThread = timeClicks(shared ?? '')
    const p95 = quantile(inThread, 0.95)
    process.stdout.write(
      `${figuresOf(clicks)}\n  with both documents parsed: ${quantile(inThread, 0.5)} ms, ${p95} ms\n`,
    )

    test('always have a candidate, and the first one gives the text that was clicked', () => {
      const { clicked, offered, givesText } = clicks
      expect(clicked).toBeGreaterThan(1_500)
      expect([offered, givesText]).toEqual([clicked, clicked])
    })

    test('have one that is no path from the root, for 95 of 100 texts', () => {
      expect(clicks.notPositional / clicks.clicked).toBeGreaterThanOrEqual(0.95)
    })

    test('keep their element when the page is built again or gets a banner, more often than a path does', () => {
      const { kept, clicked } = clicks
      expect(kept['built again'].rules / clicked).toBeGreaterThanOrEqual(0.98)
      for (const change of ['a banner and a wrapper', 'built again, with both'] as const) {
        expect(kept[change].rules).toBeGreaterThan(kept[change].paths)
        expect(kept[change].rules / clicked).toBeGreaterThanOrEqual(0.9)
      }
      // Names alone change: a path has none, and a rule that begins at a class is lost.
      expect(kept['all classes renamed'].rules / clicked).toBeGreaterThanOrEqual(0.5)
    })

    test('are answered within the time that a person does not notice', () => {
      expect(p95).toBeLessThanOrEqual(MOST_MS)
    })
  },
)
