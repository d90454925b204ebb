import { extract } from '../../runners/extract/extract.ts'
import type { Page } from '../../runners/extract/page.ts'
import { decode } from '../../runners/extract/text/charset.ts'
import { isJsonType, markupKind, mediaType } from '../../runners/extract/text/page-kind.ts'
import type { CorpusFolder } from './folder.ts'
import { newTally } from './tally.ts'
import type { Tally } from './tally.ts'

const ITEM_NAMES = { urlset: 'url', sitemapindex: 'sitemap', feed: 'entry', rss: 'item', rdf: 'item' } as const

/**
 * Parses every feed and sitemap, ill-formed ones included, and compares the number of items with the tags in the text.
 */
export function readFeeds(folder: CorpusFolder, part: 'feeds' | 'sitemaps'): Tally {
  const tally = newTally(`${part}: parsed, with all items`)
  for (const name of folder.list(part)) {
    const page = folder.page(name)
    if (isJsonType(mediaType(page.contentType)) || name.endsWith('.json')) continue
    const fault = feedFault(page)
    if (fault === null) tally.passed += 1
    else tally.unexplained.push(`${name}: ${fault}`)
  }
  return tally
}

function feedFault(page: Page): string | null {
  const { text } = decode(page.body, page.contentType, markupKind(page))
  if (isGarbled(text)) return 'decoded with many replacement characters'
  const item = itemName(text)
  const wanted = countTags(text, item)
  const extraction = extract(page, {
    method: 'xpath',
    fields: { root: 'name(/*)', items: `count(//*[local-name()="${item}"])`, plain: `count(//${item})` },
  })
  if (!extraction.ok) return extraction.fault.message
  const { root, items, plain } = extraction.values
  if (root === '') return 'has no root element'
  if (Number(items) < wanted) return `has ${wanted} ${item} elements, but ${Number(items)} were read`
  const prefixed = countTags(text, `[\\w.-]+:${item}`)
  return Number(plain) < wanted - prefixed ? `//${item} finds only ${Number(plain)} of ${wanted}` : null
}

/** Many old feeds have a broken byte here and there; the wrong charset breaks most letters beyond ASCII. */
function isGarbled(text: string): boolean {
  const beyondAscii = text.match(/[^\0-\x7f]/g)?.length ?? 0
  const broken = text.match(/\ufffd/g)?.length ?? 0
  return broken > beyondAscii / 10
}

function itemName(text: string): string {
  const root = /<(?:[\w.-]+:)?(urlset|sitemapindex|feed|rss|rdf)[\s>]/i.exec(text)?.[1]?.toLowerCase()
  return ITEM_NAMES[(root ?? 'rss') as keyof typeof ITEM_NAMES]
}

/** Counts start tags in the text itself, outside comments and CDATA, without a parser. */
function countTags(text: string, name: string): number {
  const bare = text.replace(/<!--[^]*?-->|<!\[CDATA\[[^]*?\]\]>/g, '')
  return [...bare.matchAll(new RegExp(`<(?:[\\w.-]+:)?${name}(?=[\\s/>])`, 'g'))].length
}
