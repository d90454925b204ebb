import type { DiffPredicate } from '../../schema/monitor/diff-predicate.ts'
import type { ExtractConfig } from '../../schema/monitor/extract-config.ts'
import { isOtherBehindCut } from '../diff/behind-cut.ts'
import { isCutList } from '../diff/cut-mark.ts'
import { diffLines, linesOf } from '../diff/diff-lines.ts'
import type { PageTexts } from './judged.ts'

/** The field of a whole page. Its value is a hash, so conditions about lines look at the readable text. */
export const PAGE_FIELD = 'content_hash'

/** Returns whether a predicate compares the lines of a whole page. */
export function asksPageLines(predicate: DiffPredicate, config: Pick<ExtractConfig, 'method'>): boolean {
  if (config.method !== 'full_page') return false
  if (predicate.type === 'composite') return predicate.conditions.some((one) => asksPageLines(one, config))
  return predicate.type === 'lines_added' || predicate.type === 'lines_removed'
}

interface PageLines {
  /** Lines of the text that the other one does not have. */
  readonly lines: readonly string[]
  /** There may be others that are not known: behind a cut, or of a text that is not known. */
  readonly isMore: boolean
}

export function pageLines(without: string | null, text: string | null): PageLines {
  if (without === null || text === null) return { lines: [], isMore: true }
  const [from, to] = [linesOf(without), linesOf(text)]
  // A text is cut by its length, so one that is cut has more than one that is not.
  const isMore = isCutList(to) && (!isCutList(from) || isOtherBehindCut(from, to))
  return { lines: diffLines(without, text).added, isMore }
}

/** Returns what is not known of the lines of a page that differs, for a person. */
export function pageLinesWarnings({ before, after }: PageTexts): readonly string[] {
  if (before === null || after === null) return [UNKNOWN(after === null ? 'the page' : 'the page before')]
  const [old, now] = [linesOf(before), linesOf(after)]
  const isUncompared = old.at(-1) !== now.at(-1) && (isCutList(old) || isCutList(now))
  return isUncompared ? [CUT] : []
}

const COUNTED = 'For conditions about lines, that counts as one line more, which no pattern matches.'
const UNKNOWN = (what: string) => `The page changed, but the readable text of ${what} is not known. ${COUNTED}`
const CUT = `The page changed, and its text is longer than what is kept of it: behind that it may differ. ${COUNTED}`
