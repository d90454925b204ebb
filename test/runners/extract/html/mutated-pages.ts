import fc from 'fast-check'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PIECES, SPACES } from './pieces.ts'

const shared = process.env['TIDEMARK_SHARED'] ?? ''

/** As many documents are read. */
export const DOCUMENTS = Number(process.env['TIDEMARK_TEST_FUZZ_DOCUMENTS'] ?? 5_000)
/** The same documents each time, unless asked for others: a number, or `new`. */
const wanted = process.env['TIDEMARK_TEST_FUZZ_SEED'] ?? '20260501'
export const SEED = wanted === 'new' ? Date.now() % 1_000_000_000 : Number(wanted)
/** The longest piece of a page that a small document is made from, in characters. */
const SMALL = 2_000
const MAX_EDITS = 12

/** The recorded pages; none where there are none. */
export const FILES: readonly string[] =
  shared === '' ? [] : globSync([join(shared, 'corpus/html/*.html'), join(shared, 'serp-fixtures/*.html')]).sort()

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
export const EDITS = fc.array(EDIT, { maxLength: MAX_EDITS })

export function edited(text: string, edits: readonly Edit[]): string {
  return edits.reduce((before, edit) => {
    const at = Math.floor(edit.at * before.length)
    if (edit.kind === 'insert') return before.slice(0, at) + edit.text + before.slice(at)
    if (edit.kind === 'remove') return before.slice(0, at) + before.slice(at + edit.length)
    const to = Math.floor(edit.to * before.length)
    return before.slice(0, to) + before.slice(at, at + edit.length) + before.slice(to)
  }, text)
}

/** Returns pieces of recorded pages, each changed at random. */
export function piecesOfPages(pages: readonly string[]): fc.Arbitrary<string> {
  const piece = fc.record({ page: fc.nat(pages.length - 1), from: PLACE, length: fc.nat(SMALL), edits: EDITS })
  return piece.map(({ page, from, length, edits }) => {
    const whole = pages[page] ?? ''
    const start = Math.floor(from * whole.length)
    return edited(whole.slice(start, start + length), edits)
  })
}

export const readPages = (): readonly string[] => FILES.map((file) => readFileSync(file, 'utf8'))

/** Checks a property. What fails is named by its seed and by the smallest document that was found. */
export function checkAll<T>(documents: fc.Arbitrary<T>, runs: fc.Parameters<[T]>, check: (document: T) => void): void {
  const { failed, counterexample, errorInstance } = fc.check(fc.property(documents, check), runs)
  if (!failed) return
  const [document] = counterexample ?? []
  const reason = errorInstance instanceof Error ? errorInstance.message : String(errorInstance)
  throw new Error(`TIDEMARK_TEST_FUZZ_SEED=${SEED}: ${JSON.stringify(document)}\n${reason}`)
}
