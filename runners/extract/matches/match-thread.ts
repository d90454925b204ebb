import type { ExtractConfig } from '../../../schema/monitor/extract-config.ts'
import { extract } from '../extract.ts'
import { keepTree } from '../on-tree.ts'
import type { Page } from '../page.ts'
import { findMatches } from './find-matches.ts'
import type { Matched } from './match-reader.ts'

/** What a thread of the extractor runs for `matchReader`. */
export const read = (page: Page, config: ExtractConfig): Matched => {
  keepTree(page)
  const extraction = extract(page, config)
  return { extraction, matches: extraction.ok ? findMatches(page, config) : [] }
}
