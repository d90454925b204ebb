import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SerpEngine, SerpSearch } from '../../schema/serp/serp-search.ts'

/** What is expected of a saved page, as its `NAME.json` says. */
interface Expected {
  readonly engine: SerpEngine
  readonly device: SerpSearch['device']
  readonly page_kind: 'results' | 'zero' | 'zero_suspect' | 'captcha' | 'consent' | 'error' | 'js_shell'
  readonly expected: readonly ExpectedResult[] | 'unknown'
  /** The source wrote other addresses into the page. */
  readonly urls_replaced_by_source: boolean
  readonly ai_overview_present: boolean | 'unknown' | null
  readonly featured_snippet_present: boolean | 'unknown' | null
  /** The session that the page belongs to; null: none. */
  readonly group: string | null
}

interface ExpectedResult {
  readonly title: string
  readonly url: string
}

export interface SavedPage {
  readonly name: string
  readonly html: string
  readonly expected: Expected
  /**
   * Half of the pages are looked at while the tables are written, the others are only measured. Where the second half
   * is read worse, the tables fit single pages and no structure.
   */
  readonly isSeen: boolean
}

/** Reads all pages of a folder that have both files, in the order of their names. */
export function savedPages(folder: string): readonly SavedPage[] {
  const names = readdirSync(folder).flatMap((file) =>
    file.endsWith('.json') && file !== 'index.json' ? [file.slice(0, -5)] : [],
  )
  return names.sort().map((name) => {
    const expected = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as Expected
    const html = readFileSync(join(folder, `${name}.html`), 'utf8')
    return { name, html, expected, isSeen: isSeen(expected.group ?? name) }
  })
}

/** The rule is fixed: whether the first byte of the name's SHA-256 begins with an even digit. */
const isSeen = (name: string): boolean => ((createHash('sha256').update(name).digest()[0] ?? 0) >> 4) % 2 === 0
