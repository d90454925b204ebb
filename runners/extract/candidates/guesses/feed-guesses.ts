import { feedNewItem, sitemapNewUrls } from '../../../../core/templates/lists.ts'
import type { Template } from '../../../../schema/monitor/template.ts'
import { compileRules } from '../../compiled.ts'
import { fieldsOnTree, finish } from '../../on-tree.ts'
import { isElement, type Tree } from '../../tree.ts'
import { censusOf } from '../census.ts'
import { counted, shown } from '../shown.ts'
import { type Guess, type Ranked, RANKS } from './guess.ts'
import { jsonFeedConfig } from './json-guesses.ts'

const MOST = 3
const MOST_CHARACTERS = 2_000

/** Returns the feeds that a page names with `<link rel=alternate>`. They have other addresses, which were not read. */
export function feedLinkGuesses(tree: Tree, address: string): Ranked[] {
  const links = censusOf(tree)
    .index.all.filter(isElement)
    .filter(({ name }) => name === 'link' || name === 'base')
  const base = links.find(({ name }) => name === 'base')?.attribs['href']?.slice(0, MOST_CHARACTERS)
  const from = URL.parse(base ?? '', address)?.href ?? address
  const found = links.flatMap(({ attribs }): Guess[] => {
    const isAlternate = /(?:^|\s)alternate(?:\s|$)/i.test((attribs['rel'] ?? '').slice(0, 100))
    const type = /^application\/(rss\+xml|atom\+xml|feed\+json)/i.exec(attribs['type'] ?? '')?.[1]?.toLowerCase()
    const to = URL.parse((attribs['href'] ?? '').slice(0, MOST_CHARACTERS), from)
    if (!isAlternate || type === undefined || to === null || !/^https?:$/.test(to.protocol)) return []
    if (to.href.length > MOST_CHARACTERS) return []
    const { extract, diff_predicate } = type === 'feed+json' ? jsonFeedConfig : feedNewItem.config
    const title = shown(attribs['title'] ?? '') || 'of this page'
    return [
      { kind: 'feed', label: `feed ${title}`, extract_config: extract, values: null, diff_predicate, address: to.href },
    ]
  })
  const different = found.filter(({ address: to }, at) => found.findIndex((other) => other.address === to) === at)
  return different.slice(0, MOST).map((guess, at) => ({ guess, rank: RANKS.feedLink - at }))
}

/** Returns what a document is that is a feed or a sitemap itself. */
export function documentGuesses(tree: Tree): Ranked[] {
  const root = tree.document.children.find(isElement)?.name.toLowerCase().replace(/^.*:/, '')
  if (root === 'rss' || root === 'feed' || root === 'rdf') return templateGuess(tree, feedNewItem, 'feed')
  return root === 'urlset' || root === 'sitemapindex' ? templateGuess(tree, sitemapNewUrls, 'sitemap') : []
}

function templateGuess(tree: Tree, { config }: Template, what: string): Ranked[] {
  const compiled = compileRules(config.extract)
  if (compiled.method !== 'xpath') return []
  const read = finish(fieldsOnTree(compiled, tree, []), [])
  if (!read.ok) return []
  const [first] = Object.values(read.values)
  const count = Array.isArray(first) ? first.length : 0
  const guess: Guess = {
    kind: 'feed',
    label: `${what} with ${counted(count, 'item')}`,
    extract_config: config.extract,
    values: read.values,
    diff_predicate: config.diff_predicate,
    address: null,
  }
  return [{ guess, rank: RANKS.feed }]
}
