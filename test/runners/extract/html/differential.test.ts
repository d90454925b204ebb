import fc from 'fast-check'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { describeIf } from '../../../support/run/skip.ts'
import { original, ours } from './outline.ts'
import { PIECES, SPACES } from './pieces.ts'

const shared = process.env['TIDEMARK_SHARED'] ?? ''

/** As many documents are read. */
const DOCUMENTS = Number(process.env['TIDEMARK_TEST_FUZZ_DOCUMENTS'] ?? 5_000)
/** The same documents each time, unless asked for others: a number, or `new`. */
const wanted = process.env['TIDEMARK_TEST_FUZZ_SEED'] ?? '20260501'
const SEED = wanted === 'new' ? Date.now() % 1_000_000_000 : Number(wanted)
/** The longest piece of a page that a small document is made from, in characters. */
const SMALL = 2_000
const MAX_EDITS = 12

/** One change of a document. Places are parts of its length, from 0 to 1. */
type Edit =
  | { readonly kind: 'insert'; readonly at: number; readonly text: string }
  | { readonly kind: 'remove'; readonly at: number; readonly length: number }
  | { readonly kind: 'repeat'; readonly at: number; readonly length: number; readonly to: number }

const PLACE = fc.double({ min: 0, max: 1, noNaN: true })
const LENGTH = fc.integer({ min: 1, max: 60 })
const EDIT: fc.Arbitrary<Edit> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('insert'),
      at: PLACE,
      text: fc.constantFrom(...PIECES, ...SPACES, '\0', '"', "'", '=', '/>'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove'), at: PLACE, length: LENGTH }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('repeat'), at: PLACE, length: LENGTH, to: PLACE }) },
)
interface Piece {
  readonly page: number
  readonly from: number
  readonly length: number
  readonly edits: readonly Edit[]
}

const EDITS = fc.array(EDIT, { maxLength: MAX_EDITS })

function edited(text: string, edits: readonly Edit[]): string {
  return edits.reduce((before, edit) => {
    const at = Math.floor(edit.at * before.length)
    if (edit.kind === 'insert') return before.slice(0, at) + edit.text + before.slice(at)
    if (edit.kind === 'remove') return before.slice(0, at) + before.slice(at + edit.length)
    const to = Math.floor(edit.to * before.length)
    return before.slice(0, to) + before.slice(at, at + edit.length) + before.slice(to)
  }, text)
}

function compare(text: string): void {
  const [mine, theirs] = [ours(text), original(text)]
  // The comparison of vitest takes longer than both parsers.
  if (mine.length !== theirs.length || mine.some((line, at) => line !== theirs[at])) expect(mine).toEqual(theirs)
}

/** Checks a property. What fails is named by its seed and by the smallest document that was found. */
function checkAll<T>(documents: fc.Arbitrary<T>, runs: fc.Parameters<[T]>, check: (document: T) => void): void {
  const { failed, counterexample, errorInstance } = fc.check(fc.property(documents, check), runs)
  if (!failed) return
  const [document] = counterexample ?? []
  const reason = errorInstance instanceof Error ? errorInstance.message : String(errorInstance)
  throw new Error(`TIDEMARK_TEST_FUZZ_SEED=${SEED}: ${JSON.stringify(document)}\n${reason}`)
}

describeIf(shared !== '', 'set TIDEMARK_SHARED to the folder with the recorded pages')(
  'a recorded page that was changed at random',
  () => {
    const files = globSync([join(shared, 'corpus/html/*.html'), join(shared, 'serp-fixtures/*.html')]).sort()
    const pages = files.map((file) => readFileSync(file, 'utf8'))
    const small = Math.max(0, DOCUMENTS - files.length)

    test.each(files.map((file, at) => [basename(file), at] as const))(
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
      () => {
        const piece = fc.record({ page: fc.nat(files.length - 1), from: PLACE, length: fc.nat(SMALL), edits: EDITS })
        const textOf = ({ page, from, length, edits }: Piece) => {
          const whole = pages[page] ?? ''
          const start = Math.floor(from * whole.length)
          return edited(whole.slice(start, start + length), edits)
        }
        checkAll(piece.map(textOf), { seed: SEED, numRuns: small }, compare)
      },
      60_000 + DOCUMENTS * 20,
    )
  },
)
