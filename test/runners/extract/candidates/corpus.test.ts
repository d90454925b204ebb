import { expect, test } from 'vitest'
import { describeIf } from '../../../support/run/skip.ts'
import { clickCorpus } from './corpus-part.ts'

const shared = process.env['TIDEMARK_SHARED']

describeIf(shared !== undefined, 'set TIDEMARK_SHARED to the folder with the recorded pages')(
  'two clicks on each recorded page',
  () => {
    test('give the text that was clicked', () => {
      const { clicked, offered, givesText } = clickCorpus(shared ?? '', 2)
      expect(clicked).toBeGreaterThan(90)
      expect([offered, givesText]).toEqual([clicked, clicked])
    })
  },
)
