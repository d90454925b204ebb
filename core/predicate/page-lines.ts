import type { DiffPredicate } from '../../schema/monitor/diff-predicate.ts'
import type { ExtractConfig } from '../../schema/monitor/extract-config.ts'
import { isCutList, markOf } from '../diff/cut-mark.ts'
import { diffOfLines, linesOf } from '../diff/diff-lines.ts'
import type { PageTexts } from './judged.ts'
import { perField } from './per-field.ts'

/** The field of a whole page. Its value is a hash, so conditions about lines look at the readable text. */
export const PAGE_FIELD = 'content_hash'

/** Returns whether a predicate compares the lines of a whole page. */
export function asksPageLines(predicate: DiffPredicate, config: Pick<ExtractConfig, 'method'>): boolean {
  if (config.method !== 'full_page') return false
  if (predicate.type === 'composite') return predicate.conditions.some((one) => asksPageLines(one, config))
  return predicate.type === 'lines_added' || predicate.type === 'lines_removed'
}

interface PageDiff {
  /** Lines that only the new text has. */
  readonly added: readonly string[]
  /** Lines that only the old text has. */
  readonly removed: readonly string[]
  /**
   * There may be others, added and removed: `cut`, behind the end of what is compared; `unknown`, because a text is not
   * known.
   */
  readonly more: 'cut' | 'unknown' | null
}

/** Compares the texts of a page, once. */
export function pageDiff(page: PageTexts): PageDiff {
  return diffOnce(page, PAGE_FIELD)
}

const diffOnce = perField(({ before, after }: PageTexts): PageDiff => {
  if (before === null || after === null) return { added: [], removed: [], more: 'unknown' }
  const isJson = JSON_START.test(before) || JSON_START.test(after)
  const [old, now] = [comparedLines(before, isJson), comparedLines(after, isJson)]
  const isCut = old.at(-1) !== now.at(-1) && (isCutList(old) || isCutList(now))
  return { ...diffOfLines(old, now), more: isCut ? 'cut' : null }
})

/** JSON is kept with a line for each value, which ends in a comma where another one follows. */
const JSON_START = /^[[{]/

/** More lines than these are not compared: it is done in the main thread. They count as behind a cut. */
const MAX_LINES = 20_000

function comparedLines(text: string, isJson: boolean): readonly string[] {
  const all = linesOf(text)
  const lines = isJson ? all.map((line) => (line.endsWith(',') ? line.slice(0, -1) : line)) : all
  return lines.length > MAX_LINES ? [...lines.slice(0, MAX_LINES), markOf(lines.join('\n'))] : lines
}

/** Returns what is not known of the lines of a page that differs, for a person. */
export function pageLinesWarnings(page: PageTexts): readonly string[] {
  const { more } = pageDiff(page)
  if (more === null) return []
  return more === 'cut' ? [CUT] : [unknown(page)]
}

function unknown({ before, after }: PageTexts): string {
  const now = after === null ? ['the page'] : []
  const what = (before === null ? [...now, 'the page before'] : now).join(' or of ')
  return `The page changed, but the readable text of ${what} is not known. ${COUNTED}, which any pattern matches.`
}

const COUNTED = 'For conditions about lines, that counts as a line added and one removed'
const CUT =
  'The page changed, and its text is longer than what is compared of it: behind that it may differ. ' +
  `${COUNTED}, which no pattern matches.`
