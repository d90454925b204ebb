import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { describeIf } from '../../../support/run/skip.ts'
import { checkAll, DOCUMENTS, EDITS, edited, FILES, piecesOfPages, readPages, SEED } from './mutated-pages.ts'
import { original, ours } from './outline.ts'

function compare(text: string): void {
  const [mine, theirs] = [ours(text), original(text)]
  // The comparison of vitest takes longer than both parsers.
  if (mine.length !== theirs.length || mine.some((line, at) => line !== theirs[at])) expect(mine).toEqual(theirs)
}

describeIf(FILES.length > 0, 'set TIDEMARK_SHARED to the folder with the recorded pages')(
  'a recorded page that was changed at random',
  () => {
    const pages = readPages()
    const small = Math.max(0, DOCUMENTS - FILES.length)

    test.each(FILES.map((file, at) => [basename(file), at] as const))(
      'gives the tree of the original as a whole: %s',
      (_name, at) => {
        const page = pages[at] ?? ''
        compare(page)
        // A large page takes minutes to be made smaller.
        checkAll(EDITS, { seed: SEED + at, numRuns: 1, endOnFailure: true }, (edits) => compare(edited(page, edits)))
      },
    )

    test(
      `gives the tree of the original in ${small.toLocaleString('en')} pieces`,
      () => checkAll(piecesOfPages(pages), { seed: SEED, numRuns: small }, compare),
      60_000 + DOCUMENTS * 20,
    )
  },
)
