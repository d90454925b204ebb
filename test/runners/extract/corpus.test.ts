import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCorpus } from '../../../tools/corpus/run.ts'
import { explainedCount } from '../../../tools/corpus/tally.ts'
import { describeIf } from '../../support/run/skip.ts'

const shared = process.env['TIDEMARK_SHARED']

describeIf(shared !== undefined, 'set TIDEMARK_SHARED to the folder with the recorded pages')(
  'the corpus of recorded pages',
  () => {
    const tallies = runCorpus(join(shared ?? '', 'corpus'))

    test.each([
      ['html: css', 2_000],
      ['html: xpath', 2_200],
      ['feeds: parsed, with all items', 40],
      ['sitemaps: parsed, with all items', 3],
      ['json: parsed', 20],
      ['jsonpath: compliance suite', 703],
    ])('has no difference that is not explained in %s', (part, least) => {
      const tally = tallies.find((one) => one.part === part)
      expect(tally?.unexplained).toEqual([])
      expect(tally?.passed).toBeGreaterThanOrEqual(least)
      expect(tally === undefined ? -1 : explainedCount(tally)).toBe(0)
    })
  },
)
