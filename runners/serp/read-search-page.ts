import type { AnyNode, Element } from 'domhandler'
import { UNTOLD } from '../../core/serp/ended-search.ts'
import { parseHtml } from '../extract/html/html.ts'
import { decode } from '../extract/text/charset.ts'
import { textOf, type Tree } from '../extract/tree.ts'
import type { EngineTable } from './engine-table.ts'
import { ENGINES } from './engines.ts'
import { hiddenDestinations } from './google-destinations.ts'
import { closest, PageQuery, parentOf } from './page-query.ts'
import { isInHidden, visibleText } from './page-text.ts'
import { destinationOf, sameness, type LinkContext } from './result-url.ts'
import { SERP_LIMITS, type FoundResult, type PageOutcome, type SearchPage, type SentPage } from './search-page.ts'
import { shownBlocks } from './shown-blocks.ts'
import { structuralLinks } from './structural-links.ts'

/** Everything that reading a page needs. */
interface Reader {
  readonly page: SentPage
  readonly table: EngineTable
  readonly query: PageQuery
  readonly links: LinkContext
}

/**
 * Reads a page of an engine: its outcome, and its results. Pure and synchronous; it runs in a thread of
 * `extract/pool/`, because the page is untrusted.
 */
export function readSearchPage(body: Uint8Array, contentType: string | null, page: SentPage): SearchPage {
  const table = ENGINES[page.engine]
  const byAddress = outcomeOfAddress(page, table)
  if (byAddress) return nothing(table, ...byAddress)
  const tree = parseHtml(decode(body, contentType, 'html').text)
  if (tree.kind === 'too_complex') return nothing(table, outcomeOfStatus(page, false), 'too complex')
  const query = new PageQuery(tree)
  const reader = { page, table, query, links: contextOf(page, tree, query) }
  const refusal = query.first(table.refusals)
  if (page.status >= 400 || page.status === 202) {
    const outcome = outcomeOfStatus(page, refusal !== null)
    if (outcome !== 'unparsed') return nothing(table, outcome, refusal?.selector ?? `status ${page.status}`)
  }
  return readResults(reader, refusal?.selector ?? null)
}

/** Decides what the results, and else the markers of the page, say. */
function readResults(reader: Reader, refusal: string | null): SearchPage {
  const { table, query } = reader
  const found = namedResults(reader)
  if (found.results.length > 0) return { ...aboutPage(reader, found), ...found, isStructural: false }
  if (refusal !== null) return nothing(table, 'blocked', refusal)
  // A page without results may have a question for consent on top of it.
  const zero = query.all(table.zeros).find((element) => !isInHidden(element))
  if (zero) return nothing(table, table.isZeroSuspect ? 'zero_suspect' : 'zero', 'zero marker')
  const consent = query.first(table.consents)
  if (consent) return nothing(table, 'consent', consent.selector)
  const guessed = structuralResults(reader)
  if (guessed.length > 0) {
    const about = aboutPage(reader, { results: guessed, marker: 'structure' })
    return { ...about, results: guessed, dropped: found.dropped, isStructural: true }
  }
  const shell = query.first(table.shells)
  const outcome = shell ? 'shell' : 'unparsed'
  return { ...nothing(table, outcome, shell?.selector ?? 'nothing was recognized'), dropped: found.dropped }
}

function outcomeOfAddress({ url, status }: SentPage, table: EngineTable): readonly [PageOutcome, string] | null {
  const { host, pathname } = URL.parse(url) ?? { host: '', pathname: '' }
  if (table.refusalUrl.test(host + pathname)) {
    // The robot check of an engine that is broken itself says nothing about us.
    return ['blocked', `address ${pathname.slice(0, 40)}`]
  }
  if (table.consentUrl.test(host)) return ['consent', `host ${host.slice(0, 60)}`]
  return status === 429 || status === 403 || status === 999 ? ['blocked', `status ${status}`] : null
}

function outcomeOfStatus({ status }: SentPage, hasWall: boolean): PageOutcome {
  if (status >= 500) return hasWall ? 'blocked' : 'engine_error'
  if (status === 202 && hasWall) return 'blocked'
  return status >= 400 ? 'engine_error' : 'unparsed'
}

function nothing(table: EngineTable, outcome: PageOutcome, marker: string): SearchPage {
  const none = { results: [], dropped: {}, shown: UNTOLD, next: null, isLast: false }
  return { outcome, marker, table: table.version, isStructural: false, ...none }
}

function aboutPage(
  reader: Reader,
  { results, marker }: Pick<Found, 'results' | 'marker'>,
): Omit<SearchPage, 'results' | 'dropped'> {
  const { table } = reader
  const { next, isLast } = nextPage(reader)
  return {
    outcome: 'ok',
    marker,
    table: table.version,
    isStructural: false,
    shown: shownBlocks(reader),
    next,
    isLast: next === null && (isLast || results.length < table.fullPage),
  }
}

function contextOf({ engine, url }: SentPage, tree: Tree, query: PageQuery): LinkContext {
  if (engine !== 'google' || query.first(['a[href*="/goto?url="], a[href*="url=CAES"], a[href*="q=CAES"]']) === null)
    return { engine, base: url, hidden: new Map() }
  let room: number = SERP_LIMITS.scripts
  const scripts: string[] = []
  for (const script of new PageQuery(tree).all(['script'])) {
    const text = textOf(script)
    room -= text.length
    if (room < 0) break
    scripts.push(text)
  }
  return { engine, base: url, hidden: hiddenDestinations(scripts) }
}

interface Found {
  readonly results: readonly FoundResult[]
  readonly dropped: Readonly<Record<string, number>>
  readonly marker: string
}

/** Returns the results that the table's names find. */
function namedResults(reader: Reader): Found {
  const { table, page } = reader
  const own = page.device === 'mobile' ? [...table.links, ...table.phoneLinks] : table.links
  const found = resultsOf(reader, own)
  const isLoose = found.results.length === 0 && page.device === 'mobile' && table.loosePhoneLinks.length > 0
  return isLoose ? resultsOf(reader, table.loosePhoneLinks) : found
}

function resultsOf(reader: Reader, selectors: readonly string[]): Found {
  const { table, query } = reader
  const dropped: Record<string, number> = {}
  const excluded = query.set(table.excluded)
  const blocks = query.set(table.blocks)
  const taken = new Set<Element>()
  const links = query.all(selectors).slice(0, SERP_LIMITS.candidates)
  const kept = links.filter((link) => {
    const reason = whyNone(link)
    if (reason !== null) dropped[reason] = (dropped[reason] ?? 0) + 1
    return reason === null
  })
  const areas = areasOf(kept)
  const results = kept.slice(0, SERP_LIMITS.results).flatMap((link) => resultOf(reader, link, areas(link)) ?? [])
  return { results, dropped, marker: `${results.length} results` }

  function whyNone(link: Element): string | null {
    const block = closest(link, blocks)
    if (block === null) return 'outside of blocks'
    if (closest(link, excluded) !== null) return 'excluded'
    if (isInHidden(link)) return 'hidden'
    if (table.isOneABlock && taken.has(block)) return 'second link of a block'
    if (!isResult(reader, link)) return 'no title or destination'
    taken.add(block)
    return null
  }
}

/** Ancestors above a link that are looked at for its snippet. */
const MAX_ABOVE = 12

/** Returns for a link the largest element around it that contains no other of the links. */
function areasOf(links: readonly Element[]): (link: Element) => Element {
  const counts = new Map<Element, number>()
  for (const link of links) {
    let next: Element | null = link
    for (let level = 0; next !== null && level <= MAX_ABOVE; level++, next = parentOf(next))
      counts.set(next, (counts.get(next) ?? 0) + 1)
  }
  return (link) => {
    let area = link
    for (let next = parentOf(link), level = 1; next !== null && level <= MAX_ABOVE; level++, next = parentOf(next)) {
      if (counts.get(next) !== 1) break
      area = next
    }
    return area
  }
}

const unreadOf = ({ table, query }: Reader) => query.set(table.unread) as ReadonlySet<AnyNode>

function isResult(reader: Reader, link: Element): boolean {
  const { kind } = destinationOf(link.attribs['href'] ?? '', reader.links)
  return kind !== 'none' && titleOf(reader, link) !== ''
}

const titleOf = (reader: Reader, link: Element): string =>
  visibleText(titleElement(reader, link), unreadOf(reader), SERP_LIMITS.title)

function resultOf(reader: Reader, link: Element, area: Element): FoundResult | null {
  const destination = destinationOf(link.attribs['href'] ?? '', reader.links)
  if (destination.kind === 'none') return null
  const title = titleOf(reader, link)
  const description = descriptionOf(reader, area)
  if (destination.kind === 'url' && destination.url.href.length <= SERP_LIMITS.url) {
    const { url } = destination
    return { title, url: url.href, domain: url.hostname, description, isUrlKnown: true }
  }
  const domain = destination.kind === 'url' ? destination.url.hostname : shownHost(reader, area)
  return { title, url: domain === '' ? '' : `https://${domain}/`, domain, description, isUrlKnown: false }
}

function titleElement({ table, query }: Reader, link: Element): Element {
  const [inside] = query.firstWithin(link, table.titles)
  return inside ?? link
}

/** Returns the snippet of a result; null: it has none. */
function descriptionOf(reader: Reader, area: Element): string | null {
  const { table, query } = reader
  for (const element of query.firstWithin(area, table.snippets)) {
    const text = visibleText(element, unreadOf(reader), SERP_LIMITS.description)
    if (text !== '') return text
  }
  return null
}

const HOST = /^(?:https?:\/\/)?((?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+\p{L}{2,24})(?:[\s/›:?#]|$)/iu

/** Returns the host that the breadcrumb of a result begins with; empty: it begins with something else. */
function shownHost({ table, query }: Reader, area: Element): string {
  for (const element of query.firstWithin(area, table.breadcrumbs)) {
    const host = HOST.exec(visibleText(element, new Set(), 300))?.[1]
    const url = host === undefined ? null : URL.parse(`https://${host}/`)
    if (url) return url.hostname
  }
  return ''
}

/** Returns what looks like the list of results, where the names of the page are unknown. Each address counts once. */
function structuralResults(reader: Reader): readonly FoundResult[] {
  const links = structuralLinks(reader.query, reader.table, (link) => isResult(reader, link) && !isInHidden(link))
  const found = new Map<string, FoundResult>()
  for (const link of links.slice(0, SERP_LIMITS.results)) {
    const result = resultOf(reader, link, link)
    if (result && !found.has(sameness(result.url))) found.set(sameness(result.url), result)
  }
  return [...found.values()]
}

function nextPage(reader: Reader): Pick<SearchPage, 'next' | 'isLast'> {
  const { table, query, page } = reader
  for (const link of query.all(table.nextLinks)) {
    const url = webAddress(link, page)
    if (url && !isInHidden(link)) return { next: { kind: 'link', url: url.href }, isLast: false }
  }
  const numbered = numberedPage(reader)
  const button = numbered.next ? null : query.first(table.nextButtons)
  return button ? { next: { kind: 'button', selector: button.selector }, isLast: false } : numbered
}

function webAddress(link: Element, page: SentPage): URL | null {
  const url = URL.parse(link.attribs['href'] ?? '', page.url)
  return url && (url.protocol === 'http:' || url.protocol === 'https:') ? url : null
}

/** Returns what the numbered links of the pager say: the lowest page behind this one, or that there is none. */
function numberedPage({ table: { pager }, query, page }: Reader): Pick<SearchPage, 'next' | 'isLast'> {
  if (!pager) return { next: null, isLast: false }
  const numbered = query.all(pager.links).flatMap((link) => {
    const url = isInHidden(link) ? null : webAddress(link, page)
    const begin = beginOf(url, pager.parameter)
    return url && begin !== null ? [{ url, begin }] : []
  })
  const own = beginOf(URL.parse(page.url), pager.parameter) ?? pager.first
  const later = numbered.filter(({ begin }) => begin > own).sort((one, other) => one.begin - other.begin)
  const [next] = later
  return { next: next ? { kind: 'link', url: next.url.href } : null, isLast: !next && numbered.length > 0 }
}

function beginOf(url: URL | null, parameter: string): number | null {
  const text = url?.searchParams.get(parameter) ?? ''
  return /^\d{1,6}$/.test(text) ? Number(text) : null
}
