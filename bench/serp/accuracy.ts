import { createHash } from 'node:crypto'
import { readSearchPage } from '../../runners/serp/read-search-page.ts'
import type { FoundResult, PageOutcome, SearchPage } from '../../runners/serp/search-page.ts'
import { SERP_ENGINES, type SerpEngine } from '../../schema/serp/serp-search.ts'
import type { SavedPage } from './saved-pages.ts'

/** How well a set of pages was read. */
export interface Accuracy {
  readonly pages: number
  /** Results that are there, that were found, and that were found with the right title and address. */
  readonly expected: number
  readonly found: number
  readonly right: number
  /** Results with the right title and address at the right position, on their own page. */
  readonly placed: number
  /** Pages of results that were taken for something else, by what. */
  readonly missed: Readonly<Partial<Record<PageOutcome, number>>>
  /** Pages without results, and those of them that were taken for something else: `name → outcome`. */
  readonly others: number
  readonly mistaken: readonly string[]
  /** Pages of results on which a flag was wrong: `name flag`. */
  readonly flags: readonly string[]
}

/** The address that an engine's saved page is said to come from. */
const ADDRESSES: Readonly<Record<SerpEngine, string>> = {
  google: 'https://www.google.com/search?q=x',
  bing: 'https://www.bing.com/search?q=x',
  yahoo: 'https://search.yahoo.com/search?p=x',
  duckduckgo: 'https://duckduckgo.com/?q=x',
  yandex: 'https://yandex.com/search/?text=x',
}

function read({ html, expected: { engine, device } }: SavedPage): SearchPage {
  const sent = { engine, device, url: ADDRESSES[engine], status: 200 }
  return readSearchPage(Buffer.from(html), 'text/html; charset=utf-8', sent)
}

/** Right outcomes of pages without results. */
const OUTCOMES: Readonly<Record<SavedPage['expected']['page_kind'], readonly PageOutcome[]>> = {
  results: ['ok'],
  zero: ['zero', 'zero_suspect'],
  zero_suspect: ['zero_suspect'],
  captcha: ['blocked'],
  consent: ['consent'],
  error: ['engine_error', 'blocked'],
  js_shell: ['shell', 'unparsed', 'blocked'],
}

/** Reads the pages and compares them with what is expected. */
export function accuracyOf(pages: readonly SavedPage[]): Accuracy {
  const missed: Partial<Record<PageOutcome, number>> = {}
  const mistaken: string[] = []
  const flags: string[] = []
  const sums = { expected: 0, found: 0, right: 0, placed: 0, others: 0 }
  for (const page of pages) {
    const { page_kind: kind, expected } = page.expected
    const seen = read(page)
    const isRight = OUTCOMES[kind].includes(seen.outcome)
    if (kind !== 'results') {
      sums.others += 1
      if (!isRight) mistaken.push(`${page.name} → ${seen.outcome}`)
      continue
    }
    if (!isRight) missed[seen.outcome] = (missed[seen.outcome] ?? 0) + 1
    flags.push(...wrongFlags(page, seen))
    if (expected === 'unknown') continue
    sums.expected += expected.length
    sums.found += seen.results.length
    sums.right += countRight(page, seen.results)
    sums.placed += countPlaced(page, seen.results)
  }
  return { pages: pages.length, ...sums, missed, mistaken, flags }
}

function wrongFlags({ name, expected }: SavedPage, seen: SearchPage): string[] {
  const { ai_overview_present: ai, featured_snippet_present: featured } = expected
  return [
    ...(typeof ai === 'boolean' && ai !== seen.shown.ai_overview ? [`${name} ai_overview_present`] : []),
    ...(typeof featured === 'boolean' && featured !== seen.shown.featured_snippet
      ? [`${name} featured_snippet_present`]
      : []),
  ]
}

/** Results count wherever they stand, each once. */
function countRight(page: SavedPage, results: readonly FoundResult[]): number {
  const left = results.map((result) => identity(page, result))
  return expectedOf(page).filter((wanted) => {
    const at = left.indexOf(identity(page, wanted))
    if (at >= 0) left.splice(at, 1)
    return at >= 0
  }).length
}

function countPlaced(page: SavedPage, results: readonly FoundResult[]): number {
  return expectedOf(page).filter((wanted, place) => {
    const result = results[place]
    return result !== undefined && identity(page, wanted) === identity(page, result)
  }).length
}

const expectedOf = ({ expected: { expected } }: SavedPage) => (expected === 'unknown' ? [] : expected)

/** Writes title and address without what tools write differently. */
function identity({ expected }: SavedPage, { title, url }: { readonly title: string; readonly url: string }): string {
  const plain = title.replace(/[\s\u00ad\u200b-\u200f\u202a-\u202e\ufeff]/g, '')
  if (expected.urls_replaced_by_source) return plain
  const address = URL.parse(url)
  address?.searchParams.delete('srsltid')
  if (address) address.hash = ''
  return `${plain} ${address?.href ?? url}`
}

/** What is left of reading pages whose names were changed at random. */
interface Robustness {
  readonly pages: number
  readonly expected: number
  /** Right title, address and position. */
  readonly right: number
  /** Results at a wrong position, or that are none, on pages that were taken for `ok`. */
  readonly wrong: number
  /** … those of them that the reading itself did not mark as a guess. */
  readonly wrongUnmarked: number
  /** Pages of results by the outcome that they were taken for; `guess`: results that are marked as such. */
  readonly outcomes: Readonly<Record<string, number>>
  /** Pages without results that were taken for results, marked and unmarked. */
  readonly inventedMarked: number
  readonly invented: number
}

/** Reads the pages with every class name and every generated id renamed at random. */
export function robustnessOf(pages: readonly SavedPage[], seed: string): Robustness {
  const outcomes: Record<string, number> = {}
  const sums = { expected: 0, right: 0, wrong: 0, wrongUnmarked: 0, invented: 0, inventedMarked: 0 }
  for (const page of pages) {
    const seen = read({ ...page, html: renamed(page.html, seed) })
    if (page.expected.page_kind !== 'results') {
      if (seen.outcome === 'ok') sums[seen.isStructural ? 'inventedMarked' : 'invented'] += 1
      continue
    }
    const outcome = seen.isStructural ? 'guess' : seen.outcome
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    if (page.expected.expected === 'unknown') continue
    const right = countPlaced(page, seen.results)
    const wrong = seen.results.length - right
    sums.expected += page.expected.expected.length
    sums.right += right
    sums.wrong += wrong
    if (!seen.isStructural) sums.wrongUnmarked += wrong
  }
  return { pages: pages.length, ...sums, outcomes }
}

/** Ids of words and dashes are written by people; others are generated. */
const GENERATED = /\d|[a-z][A-Z]|[A-Z][a-z]/

/** Renames the classes and generated ids of a page: the same name becomes the same other one. */
export function renamed(html: string, seed: string): string {
  const other = (name: string) => `x${createHash('sha256').update(`${seed} ${name}`).digest('base64url').slice(0, 6)}`
  return html.replace(
    /(\s(class|id)\s*=\s*)(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi,
    (_, before: string, name: string, ...values: (string | undefined)[]) => {
      const [double, single, bare] = values
      const value = double ?? single ?? bare ?? ''
      const isClass = name.toLowerCase() === 'class'
      const changed = value
        .split(/\s+/)
        .map((one) => (one !== '' && (isClass || GENERATED.test(one)) ? other(one) : one))
      return `${before}"${changed.join(' ')}"`
    },
  )
}

/** Returns the pages by engine, in the usual order; engines without pages are left out. */
export function byEngine(pages: readonly SavedPage[]): readonly (readonly [SerpEngine, readonly SavedPage[]])[] {
  return SERP_ENGINES.flatMap((engine) => {
    const own = pages.filter(({ expected }) => expected.engine === engine)
    return own.length === 0 ? [] : [[engine, own] as const]
  })
}
