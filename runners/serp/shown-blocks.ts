import type { Element } from 'domhandler'
import type { ShownBlocks } from '../../schema/serp/search-reading.ts'
import { SHOWN_BLOCKS } from './engines/shown-blocks.ts'
import { closest, type PageQuery } from './page-query.ts'
import { isInHidden, visibleText } from './page-text.ts'
import { destinationOf, type LinkContext } from './result-url.ts'
import type { SentPage } from './search-page.ts'

interface Reader {
  readonly page: SentPage
  readonly query: PageQuery
  readonly links: LinkContext
}

/** Returns what a page shows beside its results. */
export const shownBlocks = (reader: Reader): ShownBlocks => ({
  ai_overview: hasAiOverview(reader),
  featured_snippet: hasFeaturedSnippet(reader),
})

function hasFeaturedSnippet(reader: Reader): boolean | null {
  const { query, links, page } = reader
  const { featured_snippet: snippet } = SHOWN_BLOCKS[page.engine]
  if (!snippet) return null
  const excluded = query.set(snippet.excluded)
  return isShown(reader, snippet, (block) => {
    if (closest(block, excluded) !== null || query.firstWithin(block, snippet.parts).length === 0) return false
    const quoted = query.firstWithin(block, snippet.quoted)
    return quoted.some(
      (link) => closest(link, excluded) === null && destinationOf(link.attribs['href'] ?? '', links).kind !== 'none',
    )
  })
}

function hasAiOverview(reader: Reader): boolean | null {
  const { ai_overview: overview } = SHOWN_BLOCKS[reader.page.engine]
  if (!overview) return null
  return isShown(reader, overview, (block) =>
    reader.query.firstWithin(block, overview.bodies).some((body) => {
      if (isInHidden(body)) return false
      const text = visibleText(body, new Set(), 300)
      return text !== '' && !overview.declined.test(text)
    }),
  )
}

/** Returns whether a block is shown, or null where the layout of the page does not tell. */
function isShown(
  { query }: Reader,
  { blocks, layouts }: { readonly blocks: readonly string[]; readonly layouts?: readonly string[] },
  isIt: (block: Element) => boolean,
): boolean | null {
  if (query.all(blocks).some((block) => !isInHidden(block) && isIt(block))) return true
  return layouts === undefined || query.first(layouts) !== null ? false : null
}
