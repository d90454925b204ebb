import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { SerpSearch } from '../../../schema/serp/serp-search.ts'
import { createJsonSearchProvider } from '../../../worker/searches/json-search-provider.ts'
import type { SearchProvider } from '../../../worker/searches/search-provider.ts'
import { openSite, type Site, status } from '../../support/network/site.ts'

const SEARCH: SerpSearch = {
  ...{
    engine: 'google',
    keyword: 'running shoes',
    pages: 3,
    location_code: 'gb',
    language_code: 'en',
    device: 'mobile',
  },
}
const NEVER = new AbortController().signal
const KEY = 'a-secret-key-of-a-test'

let site: Site
let provider: SearchProvider
let asked: { readonly url: URL; readonly authorization: string | undefined }[] = []
beforeAll(async () => {
  site = await openSite({ otherwise: status(404) })
  provider = createJsonSearchProvider({
    url: `${site.origin}/api?no_cache=true`,
    key: () => KEY,
    pageMs: 500,
    totalMs: 5_000,
  })
})
beforeEach(() => void (asked = []))
afterAll(async () => {
  await provider.close()
  await site[Symbol.asyncDispose]()
})

function serve(by: (start: number) => object | string | number | null): void {
  site.page('/api', (response, request) => {
    const url = new URL(request.url ?? '', site.origin)
    asked.push({ url, authorization: request.headers.authorization })
    const given = by(Number(url.searchParams.get('start') ?? 0))
    // Null: it never answers.
    if (given === null) return
    if (typeof given === 'number') response.writeHead(given).end('{}')
    else response.end(typeof given === 'string' ? given : JSON.stringify(given))
  })
}

const organic = (...links: readonly string[]) =>
  links.map((link, at) => ({ position: at + 1, title: `  T\n${at} `, link, snippet: 'S', displayed_link: link }))

describe('the search provider', () => {
  test('is asked with the key of now, which may change', async () => {
    serve(() => ({ organic_results: [] }))
    let key = 'before'
    const changing = createJsonSearchProvider({ url: `${site.origin}/api`, key: () => key })
    await changing.search(SEARCH, NEVER)
    key = 'behind'
    await changing.search(SEARCH, NEVER)
    expect(asked.map(({ url, authorization }) => [url.searchParams.get('api_key'), authorization])).toEqual([
      ['before', 'Bearer before'],
      ['behind', 'Bearer behind'],
    ])
    await changing.close()
  })

  test('is asked for each page separately, with the market, the device and the key', async () => {
    serve((start) => ({ organic_results: organic(`https://site-${start}.example/`) }))
    const answer = await provider.search(SEARCH, NEVER)
    expect(asked.map(({ url }) => url.searchParams.get('start'))).toEqual([null, '10', '20'])
    expect(Object.fromEntries(asked[0]?.url.searchParams ?? [])).toMatchObject({
      ...{ no_cache: 'true', engine: 'google', q: 'running shoes', gl: 'uk', hl: 'en', device: 'mobile', api_key: KEY },
    })
    expect(asked[0]?.authorization).toBe(`Bearer ${KEY}`)
    expect(answer).toMatchObject({
      ok: true,
      asked: 3,
      found: { page_ends: [1, 2, 3], cut_by: null },
    })
  })

  test('gives results with positions of our own, without redirects of the engine and without repeats', async () => {
    serve((start) => ({
      organic_results:
        start === 0
          ? organic('https://www.google.com/url?q=https%3A%2F%2Fa.example%2F', 'https://b.example/', 'javascript:0')
          : organic('https://b.example/', 'https://c.example/'),
      ai_overview: { page_token: 'x' },
      answer_box: { link: 'https://a.example/' },
      serpapi_pagination: start === 0 ? { next: 'x' } : {},
    }))
    const answer = await provider.search(SEARCH, NEVER)
    expect(answer).toMatchObject({ asked: 2, found: { is_end: true, ai_overview: true, featured_snippet: true } })
    expect(answer.ok && answer.found.results.map(({ position, url, title }) => [position, url, title])).toEqual([
      [1, 'https://a.example/', 'T 0'],
      [2, 'https://b.example/', 'T 1'],
      [3, 'https://c.example/', 'T 1'],
    ])
  })

  test('names the site alone where it passes on an address that Google hides', async () => {
    const link = 'https://www.google.com/goto?url=CAESabc'
    serve(() => ({ organic_results: [{ title: 'T', link, displayed_link: 'shop.example › shoes' }], pagination: {} }))
    const answer = await provider.search(SEARCH, NEVER)
    expect(answer).toMatchObject({ found: { results: [{ url: 'https://shop.example/', domain: 'shop.example' }] } })
  })

  test('says that nothing was found as a list without results, and no other error as one', async () => {
    serve(() => ({ error: "Google hasn't returned any results for this query." }))
    expect(await provider.search(SEARCH, NEVER)).toMatchObject({ ok: true, asked: 1, found: { outcome: 'zero' } })
    serve(() => ({ error: 'Your account has run out of searches.' }))
    expect(await provider.search(SEARCH, NEVER)).toEqual({
      ...{ ok: false, asked: 1, message: 'it answered with an error: Your account has run out of searches.' },
    })
  })

  test('that fails on a later page leaves the pages before it', async () => {
    serve((start) => (start === 10 ? 503 : { organic_results: organic(`https://site-${start}.example/`) }))
    const answer = await provider.search(SEARCH, NEVER)
    expect(answer).toMatchObject({ ok: true, asked: 2, found: { cut_by: 'failed', is_end: false } })
  })

  test('that refuses, sends garbage, or does not answer fails without naming the key', async () => {
    const answers = [429, 302, 'not json', '[]', '{"organic_results":1}', '', null] as const
    for (const given of answers) {
      serve(() => given)
      const answer = await provider.search(SEARCH, NEVER)
      expect(answer).toMatchObject({ ok: false, asked: 1 })
      expect(JSON.stringify(answer)).not.toContain(KEY)
    }
    const away = createJsonSearchProvider({ url: 'http://127.0.0.1:1/', key: () => KEY })
    expect(await away.search(SEARCH, NEVER)).toMatchObject({ ok: false, message: 'it did not answer (ECONNREFUSED)' })
    await away.close()
  })
})
