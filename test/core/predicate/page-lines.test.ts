import { describe, expect, test } from 'vitest'
import { cutMark } from '../../../core/diff/cut-mark.ts'
import { diffValues } from '../../../core/diff/diff-values.ts'
import { explain } from '../../../core/predicate/explain.ts'
import { fires } from '../../../core/predicate/fires.ts'
import type { Judged, PageTexts } from '../../../core/predicate/judged.ts'
import { pageLinesWarnings } from '../../../core/predicate/page-lines.ts'
import { matchPattern } from '../../../runners/pattern/match-pattern.ts'
import { processorMs } from '../../support/run/processor-ms.ts'

const ADDED = { type: 'lines_added', field: 'content_hash' } as const
const REMOVED = { ...ADDED, type: 'lines_removed' } as const

/** Returns a difference of the page's hash, with these texts. */
function judgedOf(before: string | null, after: string | null): Judged {
  const [old, now] = [{ content_hash: 'a' }, { content_hash: 'b' }]
  return { diff: diffValues(old, now, []), before: old, after: now, page: { before, after } }
}

/** Returns which of both conditions hold. */
function changed(before: string | null, after: string | null, pattern?: string) {
  const judged = judgedOf(before, after)
  return [ADDED, REMOVED].flatMap((leaf) =>
    fires(pattern === undefined ? leaf : { ...leaf, pattern }, judged, matchPattern) === true ? [leaf.type] : [],
  )
}

const warnings = (before: string | null, after: string | null) =>
  pageLinesWarnings(judgedOf(before, after).page as PageTexts)

describe('the lines of a page of JSON', () => {
  const json = (value: unknown) => JSON.stringify(value, null, 2)

  test('are the same with and without the comma before a further value', () => {
    expect(changed(json([1, 2]), json([1, 2, 3]))).toEqual([ADDED.type])
    expect(changed(json([1, 2]), json([1, 2, 3]), '^2')).toEqual([])
    expect(changed(json({ a: 1, b: 2 }), json({ a: 1 }))).toEqual([REMOVED.type])
    expect(changed(json([1, 2]), json([1, 2, 3]), '^3$')).toEqual([ADDED.type])
  })

  test('keep the commas that are part of a value, and lines of other texts keep theirs', () => {
    expect(changed(json(['a']), json(['a,']))).toEqual([ADDED.type, REMOVED.type])
    expect(changed('Dear reader', 'Dear reader,')).toEqual([ADDED.type, REMOVED.type])
  })
})

describe('the lines of a page that was cut', () => {
  const cut = (of: number, ...lines: string[]) => [...lines, `half a li${cutMark(String(of).repeat(32))}`].join('\n')
  const BOTH = [ADDED.type, REMOVED.type]
  const CUT = [expect.stringContaining('behind that it may differ')]

  test.each<[what: string, before: string, after: string]>([
    ['a line is removed, and more may be behind both cuts', cut(1, 'a', 'b', 'c'), cut(2, 'a', 'c', 'd')],
    ['a long text becomes a short one', cut(1, 'Jobs', 'a', 'b'), 'Jobs\nPosition closed'],
    ['a short text becomes a long one', 'Jobs\nPosition closed', cut(1, 'Jobs', 'a', 'b')],
    ['only what is behind both cuts differs', cut(1, 'a', 'b'), cut(2, 'a', 'b')],
  ])('may have changed in both ways, and the run warns: %s', (_what, before, after) => {
    expect(changed(before, after)).toEqual(BOTH)
    expect(warnings(before, after)).toEqual(CUT)
    expect(changed(before, after, '^what is not there$')).toEqual([])
  })

  test('are the same when the whole is', () => {
    expect(changed(cut(1, 'a'), cut(1, 'a'))).toEqual([])
    expect(warnings(cut(1, 'a'), cut(1, 'a'))).toEqual([])
  })
})

describe('the lines of a page whose text is not known', () => {
  test.each([
    [null, 'a', 'the page before'],
    ['a', null, 'the page'],
    [null, null, 'the page or of the page before'],
  ])('may have changed in both ways, and match any pattern: %j → %j', (before, after, what) => {
    expect(changed(before, after)).toEqual([ADDED.type, REMOVED.type])
    expect(changed(before, after, '^Fee')).toEqual([ADDED.type, REMOVED.type])
    expect(warnings(before, after)).toEqual([expect.stringContaining(`text of ${what} is not known`)])
    const { leaves } = explain({ ...ADDED, pattern: '^Fee' }, judgedOf(before, after), matchPattern)
    expect(leaves[0]).toMatchObject({ holds: true, why: expect.stringContaining('gained 1 line of unknown text') })
  })
})

describe('a page of very many lines', () => {
  const many = (count: number, ...more: string[]) => [...Array.from({ length: count }, () => 'x'), ...more].join('\n')

  test('is compared up to line 20,000, and what is behind counts as behind a cut', () => {
    expect(changed(many(19_999), many(19_999, 'y'))).toEqual([ADDED.type])
    expect(changed(many(19_999), many(19_999, 'y'), 'y')).toEqual([ADDED.type])
    expect(warnings(many(19_999), many(19_999, 'y'))).toEqual([])
    expect(changed(many(20_000), many(20_000, 'y'))).toEqual([ADDED.type, REMOVED.type])
    expect(changed(many(20_000), many(20_000, 'y'), 'y')).toEqual([])
    expect(warnings(many(20_000), many(20_000, 'y'))).toEqual([expect.stringContaining('may differ')])
    expect(changed(many(131_000), many(131_000))).toEqual([])
  })

  test('is split and compared once, whatever asks for its lines', () => {
    const [before, after] = [many(131_000), many(131_000, 'y')]
    const bare = processorMs(() => [before, after].map((text) => text.split(/[\n\r\u2028\u2029]/)))
    const all = processorMs(() => {
      const judged = judgedOf(before, after)
      for (const leaf of [ADDED, REMOVED]) expect(fires(leaf, judged, matchPattern)).toBe(true)
      expect(pageLinesWarnings(judged.page as PageTexts)).toHaveLength(1)
    })
    expect(all).toBeLessThan(10 * bare + 50)
  })
})
