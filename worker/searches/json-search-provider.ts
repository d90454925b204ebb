import { Agent, request } from 'undici'
import { UNTOLD } from '../../core/serp/ended-search.ts'
import { mergePages } from '../../runners/serp/merge-pages.ts'
import { destinationOf } from '../../runners/serp/result-url.ts'
import { type FoundResult, SERP_LIMITS } from '../../runners/serp/search-page.ts'
import type { SearchReading, ShownBlocks } from '../../schema/serp/search-reading.ts'
import type { SerpSearch } from '../../schema/serp/serp-search.ts'
import type { SearchProvider } from './search-provider.ts'

interface JsonSearchProviderOptions {
  /** `TIDEMARK_SERP_PROVIDER_URL`: parameters that it has are kept. */
  readonly url: string
  /** It is asked for at each page: its file may be read again. */
  readonly key: () => string
  /** For one page, and for all of them. */
  readonly pageMs?: number
  readonly totalMs?: number
}

const MAX_BYTES = 8 * 1024 * 1024
const PAGE_MS = 20_000
/** Less than the shortest lease that is usual, because a check that fell into a pause has no separate heartbeat. */
const TOTAL_MS = 45_000

/** One page of an answer. */
interface Page {
  readonly results: readonly FoundResult[]
  readonly isLast: boolean
  readonly shown: ShownBlocks
}

/** A page that the provider did not give. The message has no address, because that may hold the key. */
class ProviderFault extends Error {
  override readonly name = 'ProviderFault'
}

/**
 * Creates a provider for the JSON that several services share: `GET URL?engine=google&q=…&gl=…&hl=…&device=…&start=…`
 * with the key as `api_key` and as a bearer token, answered by an object with `organic_results` (`title`, `link`,
 * `displayed_link`, `snippet`), `ai_overview`, `answer_box` and `error`.
 */
export function createJsonSearchProvider(options: JsonSearchProviderOptions): SearchProvider {
  const { url, key, pageMs = PAGE_MS, totalMs = TOTAL_MS } = options
  const agent = new Agent({ connections: 4, headersTimeout: pageMs, bodyTimeout: pageMs, maxResponseSize: MAX_BYTES })

  async function askPage(search: SerpSearch, page: number, signal: AbortSignal): Promise<Page> {
    const currentKey = key()
    const address = addressOf(url, { key: currentKey, search, page })
    const within = AbortSignal.any([signal, AbortSignal.timeout(pageMs)])
    const headers = { authorization: `Bearer ${currentKey}`, accept: 'application/json' }
    let status: number
    let text: string
    try {
      const answer = await request(address, { dispatcher: agent, signal: within, headers })
      status = answer.statusCode
      text = await answer.body.text()
    } catch (error) {
      throw new ProviderFault(within.aborted ? 'it did not answer in time' : `it did not answer (${codeOf(error)})`)
    }
    if (status !== 200) throw new ProviderFault(`it answered with the status ${status}`)
    return readPage(text)
  }

  return {
    async search(search, signal) {
      const within = AbortSignal.any([signal, AbortSignal.timeout(totalMs)])
      const pages: Page[] = []
      let asked = 0
      let fault: string | null = null
      for (let page = 1; page <= search.pages && fault === null; page++) {
        asked += 1
        try {
          const found = await askPage(search, page, within)
          if (found.results.length > 0 || page === 1) pages.push(found)
          if (found.results.length === 0 || found.isLast) break
        } catch (error) {
          if (!(error instanceof ProviderFault)) throw error
          fault = error.message
        }
      }
      const isAll = fault === null
      return pages.length === 0
        ? { ok: false, asked, message: fault ?? 'it gave no page' }
        : { ok: true, asked, found: foundIn(pages, { isAll, wanted: search.pages }) }
    },
    close: () => agent.destroy(),
  }
}

function addressOf(
  base: string,
  { key, search, page }: { readonly key: string; readonly search: SerpSearch; readonly page: number },
): string {
  const url = new URL(base)
  const country = search.location_code === 'gb' ? 'uk' : search.location_code
  const asked = {
    engine: 'google',
    q: search.keyword,
    gl: country,
    hl: search.language_code,
    device: search.device,
    safe: 'off',
    nfpr: '1',
    filter: '0',
    ...(page > 1 && { start: String(10 * (page - 1)) }),
    api_key: key,
  }
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value)
  return url.href
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'no connection'

/** The provider says that the engine found nothing in the words of a fault. */
const NOTHING = /(?:hasn't|has not) returned any results|no results/i

function readPage(text: string): Page {
  const body = parsed(text)
  const error = textOf(body['error'])
  const results = Array.isArray(body['organic_results']) ? body['organic_results'] : []
  if (results.length === 0 && error !== '' && !NOTHING.test(error))
    throw new ProviderFault(`it answered with an error: ${error.slice(0, 200)}`)
  if (results.length === 0 && error === '' && !Array.isArray(body['organic_results']))
    throw new ProviderFault('its answer has no results')
  const paging = mapOf(body['serpapi_pagination'] ?? body['pagination'])
  return {
    results: results.slice(0, SERP_LIMITS.results).flatMap(resultOf),
    isLast: paging !== null && paging['next'] === undefined,
    shown: {
      ai_overview: mapOf(body['ai_overview']) !== null,
      featured_snippet: textOf(mapOf(body['answer_box'])?.['link']) !== '',
    },
  }
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const body = mapOf(JSON.parse(text))
    if (body !== null) return body
  } catch {
    // Said below.
  }
  throw new ProviderFault('its answer is not a JSON object')
}

const mapOf = (value: unknown): Readonly<Record<string, unknown>> | null =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : null

const textOf = (value: unknown): string => (typeof value === 'string' ? value.replace(/\s+/g, ' ').trim() : '')

const NO_HIDDEN: ReadonlyMap<string, string> = new Map()

function resultOf(given: unknown): FoundResult[] {
  const item = mapOf(given)
  if (item === null) return []
  const title = textOf(item['title']).slice(0, SERP_LIMITS.title)
  const description = textOf(item['snippet']).slice(0, SERP_LIMITS.description)
  const about = { title, description: description === '' ? null : description }
  // A provider may pass on the redirects of the engine.
  const link = textOf(item['link'])
  const context = { engine: 'google', base: 'https://www.google.com/', hidden: NO_HIDDEN } as const
  const destination = destinationOf(link, context)
  if (destination.kind === 'url' && destination.url.href.length <= SERP_LIMITS.url)
    return [{ ...about, url: destination.url.href, domain: destination.url.hostname, isUrlKnown: true }]
  if (destination.kind === 'none' && link !== '') return []
  const shown = URL.parse(
    `https://${
      textOf(item['displayed_link'])
        .replace(/^https?:\/\//, '')
        .split(' ')[0]
    }`,
  )
  const domain = shown?.hostname.includes('.') ? shown.hostname : ''
  return [{ ...about, url: domain === '' ? '' : `https://${domain}/`, domain, isUrlKnown: false }]
}

function foundIn(
  pages: readonly Page[],
  { isAll, wanted }: { readonly isAll: boolean; readonly wanted: number },
): SearchReading {
  const [first] = pages
  const { results, pageEnds } = mergePages(pages)
  const isEnd = isAll && (pages.length < wanted || pages.at(-1)?.isLast === true)
  return {
    outcome: results.length > 0 ? 'ok' : 'zero',
    results,
    page_ends: pageEnds,
    is_end: isEnd,
    is_guess: false,
    ...(first?.shown ?? UNTOLD),
    cut_by: isAll ? null : 'failed',
    country: 'exact',
    marker: 'the answer of the search provider',
    warnings: isAll ? [] : ['The provider did not give a later page. The results are those of the pages before it.'],
  }
}
