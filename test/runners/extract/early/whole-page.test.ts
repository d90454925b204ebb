import fc from 'fast-check'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { describeIf } from '../../../support/run/skip.ts'
import { checkAll, DOCUMENTS, edited, EDITS, FILES, piecesOfPages, readPages, SEED } from '../html/mutated-pages.ts'
import { PIECES, SPACES } from '../html/pieces.ts'
import { bothReadings } from './both-readings.ts'
import { madeRules } from './made-rules.ts'

const NUMBERS = fc.array(fc.nat(10_000), { minLength: 60, maxLength: 60 })
/** Documents, and by what their rules are made. */
const withRules = (documents: fc.Arbitrary<string>) => fc.tuple(documents, NUMBERS)

/** How often reading stopped before the end, of all rules. */
const stops = { early: 0, all: 0 }

function compareAll([text, numbers]: readonly [string, readonly number[]]): void {
  for (const { method, rule } of madeRules(text, numbers)) {
    const fields = { it: rule }
    const { early, whole, readTo } = bothReadings(text, method, fields)
    stops.all += 1
    if (readTo !== null) stops.early += 1
    const [one, other] = [JSON.stringify(early), JSON.stringify(whole)]
    if (one !== other) throw new Error(`${method} ${rule}: ${one}, but of the whole page ${other}`)
  }
}

const soupOf = (pieces: readonly string[]) =>
  fc
    .array(
      fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(...pieces) },
        { weight: 1, arbitrary: fc.constantFrom(...SPACES) },
      ),
      { maxLength: 40 },
    )
    .map((some) => some.join(''))

/** What lets a page be read to its end, wherever it stands. */
const HOLDS = /<(?:html|body|frame|table|template|select|option|plaintext|xmp|textarea|title|script|style|!|\?)/i
const MILD = ['<b>', '</b>', '<a href=x>', '</a>', '<p>', '</p>', '<div>', '</div>', '<div class=a>', '<p id=b>']

describe('what is read of a page is what the whole page says', () => {
  test.each([
    ['any soup of tags', soupOf(PIECES), 0.01],
    ['a soup that is less wild', soupOf([...PIECES.filter((piece) => !HOLDS.test(piece)), ...MILD, ...MILD]), 0.02],
  ])('on %s', (_what, soup, least) => {
    const before = { ...stops }
    checkAll(withRules(soup), { seed: SEED, numRuns: 3_000 }, compareAll)
    expect((stops.early - before.early) / (stops.all - before.all)).toBeGreaterThan(least)
  })
})

describeIf(FILES.length > 0, 'set TIDEMARK_SHARED to the folder with the recorded pages')(
  'what is read of a recorded page is what the whole page says',
  () => {
    const pages = readPages()
    const small = Math.max(0, DOCUMENTS - FILES.length)

    test.each(FILES.map((file, at) => [basename(file), at] as const))('of %s, as sent and changed', (_name, at) => {
      const page = pages[at] ?? ''
      const numbers = Array.from({ length: 60 }, (_, nth) => (SEED + at * 7_919 + nth * 104_729) % 10_007)
      compareAll([page, numbers])
      checkAll(EDITS, { seed: SEED + at, numRuns: 1, endOnFailure: true }, (edits) =>
        compareAll([edited(page, edits), numbers]),
      )
    })

    test(
      `of ${small.toLocaleString('en')} pieces that were changed at random`,
      () => checkAll(withRules(piecesOfPages(pages)), { seed: SEED, numRuns: small }, compareAll),
      60_000 + DOCUMENTS * 40,
    )

    test('of the documents of html5lib', () => {
      const files = globSync(join(process.env['TIDEMARK_SHARED'] ?? '', 'html5lib-tests/*.dat')).sort()
      const documents = files.flatMap((file) =>
        readFileSync(file, 'utf8')
          .split(/(?:^|\n)#data\n/)
          .slice(1)
          .map((part) => part.split(/\n#errors/, 1)[0] ?? ''),
      )
      expect(documents.length).toBeGreaterThan(1_000)
      for (const [nth, text] of documents.entries()) {
        const numbers = Array.from({ length: 60 }, (_, at) => (SEED + nth * 7_919 + at * 104_729) % 10_007)
        compareAll([text, numbers])
      }
    })

    test('which stops early for as many rules as it did', () => {
      console.log(`stopped before the end: ${stops.early} of ${stops.all} rules`)
      expect(stops.early).toBeGreaterThan(stops.all / 25)
    })
  },
)
