import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { runSearch, searchOf } from '../../../cli/check/run-search.ts'
import type { Browsers } from '../../../runners/browser/browsers.ts'
import { createExtractor, type Extractor } from '../../../runners/extract/pool/extractor.ts'
import { checkSearch } from '../../../runners/serp/check-search.ts'
import type { SearchChecked } from '../../../runners/serp/search-checked.ts'
import type { SerpSearch } from '../../../schema/serp/serp-search.ts'
import { PAGES } from '../../support/browser/search-pages.ts'
import { NEVER, testBrowsers } from '../../support/browser/test-browsers.ts'
import { html, openSite, type Site, status } from '../../support/network/site.ts'

vi.setConfig({ testTimeout: 120_000 })

let site: Site
let browsers: Browsers
let extractor: Extractor

beforeAll(async () => {
  site = await openSite({ otherwise: status(404) })
  browsers = testBrowsers()
  extractor = createExtractor({ threads: 1 })
})
afterAll(async () => {
  await Promise.all([browsers.close(), extractor.close()])
  await site[Symbol.asyncDispose]()
})
beforeEach(() => void (asked = []))

/** The addresses of searches that were asked, with the headers that matter. */
let asked: { readonly url: URL; readonly referer: string | undefined; readonly agent: string | undefined }[] = []

/** Serves a path, and writes down what was asked. */
function serve(
  path: string,
  answer: (query: URLSearchParams, nth: number) => string | { readonly status: number; readonly html: string },
): void {
  site.page(path, (response, request, nth) => {
    const url = new URL(request.url ?? '', site.origin)
    asked.push({ url, referer: request.headers.referer, agent: request.headers['user-agent'] })
    const given = answer(url.searchParams, asked.length)
    if (typeof given === 'string') html(given)(response, request, nth)
    else response.writeHead(given.status, { 'content-type': 'text/html' }).end(given.html)
  })
}

function search(more: Partial<SerpSearch> = {}): Promise<SearchChecked> {
  const engine = more.engine ?? 'google'
  const whole = {
    engine,
    keyword: 'shoes',
    pages: 1,
    location_code: 'us',
    language_code: 'en',
    device: 'desktop',
  } as const
  return checkSearch(
    { ...whole, ...more },
    { browsers, extractor, endpoints: { [engine]: site.origin }, signal: NEVER, between: [0, 1] },
  )
}

/** Returns the page that is kept for a person. Null: none is. */
function unreadOf(checked: SearchChecked): string | null {
  const { unread } = checked.ok ? checked.search : checked.engine
  return unread === undefined ? null : gunzipSync(Buffer.from(unread, 'base64')).toString()
}

const googlePage = (names: readonly string[], next: string | null): string =>
  `<!doctype html><body><div id="rso">${names
    .map(
      (name) =>
        `<div class="MjjYud"><div class="tF2Cxc"><a href="https://${name}.example/"><h3>${name}</h3></a></div></div>`,
    )
    .join('')}</div>${next === null ? '' : `<a id="pnnext" href="${next}">Next</a>`}`

describe('a check of a search', () => {
  test('goes through the pages by the link of the engine, and counts a repeated address once', async () => {
    serve('/search', (query) => {
      const start = query.get('start')
      if (start === '10') return googlePage(['c', 'b', 'd'], '/search?q=shoes&start=20&own=2')
      if (start === '20') return googlePage(['e'], null)
      // An absolute link of the engine leads to its endpoint too.
      return googlePage(['a', 'b'], 'https://www.google.com/search?q=shoes&start=10&own=1')
    })
    const checked = await search({ pages: 5 })
    expect(checked).toMatchObject({
      ok: true,
      search: { outcome: 'ok', is_end: true, cut_by: null, page_ends: [2, 4, 5] },
    })
    if (!checked.ok) throw new Error(checked.fault.message)
    expect(checked.search.results.map(({ position, domain }) => `${position} ${domain}`)).toEqual([
      '1 a.example',
      '2 b.example',
      '3 c.example',
      '4 d.example',
      '5 e.example',
    ])
    expect(checked.url).toMatch(/^https:\/\/www\.google\.com\/search\?q=shoes&/)
    expect(asked.map(({ url }) => url.searchParams.get('own'))).toEqual([null, '1', '2'])
    expect(asked[1]?.referer).toContain(site.origin)
  })

  test('does not take a full page whose way on is unknown for the end of the list', async () => {
    const names = 'abcdefghij'.split('')
    serve('/search', () => `${googlePage(names, null)}<a class="new" href="/search?q=shoes&start=10">Next</a>`)
    const checked = await search({ pages: 2 })
    expect(checked).toMatchObject({ ok: true, search: { is_end: false, cut_by: 'unparsed', page_ends: [10] } })
    expect(checked.ok && checked.search.warnings.join(' ')).toContain('was not recognized')
    expect(unreadOf(checked)).toContain('class="new"')
    expect(checked.pages.at(-1)?.marker).toContain('no known way to the next page')
    // Where no further page was asked for, nothing is missing.
    const one = await search({ pages: 1 })
    expect(one).toMatchObject({ search: { is_end: false, cut_by: null } })
    expect(unreadOf(one)).toBeNull()
  })

  test('ends at a full page whose pager shows no later one', async () => {
    const names = 'abcdefghij'.split('')
    const link = (start: number) => `<a class="fl" href="/search?q=shoes&start=${start}">${start}</a>`
    serve('/search', (query) =>
      query.has('start')
        ? googlePage(
            names.map((name) => `${name}2`),
            null,
          ) + link(0)
        : googlePage(names, null) + link(20) + link(10),
    )
    expect(await search({ pages: 3 })).toMatchObject({
      ok: true,
      search: { is_end: true, cut_by: null, page_ends: [10, 20] },
    })
    expect(asked.map(({ url }) => url.searchParams.get('start'))).toEqual([null, '10'])
  })

  test('keeps a later page that was not recognized', async () => {
    serve('/search', (query) =>
      query.has('start') ? '<!doctype html><p>A new layout</p>' : googlePage(['a', 'b'], '/search?q=shoes&start=10'),
    )
    const checked = await search({ pages: 2 })
    expect(checked).toMatchObject({ ok: true, search: { cut_by: 'unparsed' } })
    expect(unreadOf(checked)).toContain('A new layout')
  })

  test('opens a later page once more when its scripts did not run, before that is a refusal', async () => {
    const shell = '<noscript><meta http-equiv="refresh" content="9;url=/httpservice/retry/enablejs"></noscript>'
    let shells = 1
    serve('/search', (query) => {
      if (!query.has('start')) return googlePage(['a', 'b'], '/search?q=shoes&start=10')
      return shells-- > 0 ? shell : googlePage(['c'], null)
    })
    expect(await search({ pages: 2 })).toMatchObject({
      ok: true,
      search: { cut_by: null, is_end: true, page_ends: [2, 3] },
    })
    shells = 2
    expect(await search({ pages: 2 })).toMatchObject({ ok: true, search: { cut_by: 'blocked', page_ends: [2] } })
  })

  test('stops at the number of pages that it is for', async () => {
    serve('/search', () => googlePage(['a'], '/search?q=shoes&start=10'))
    expect(await search({ pages: 1 })).toMatchObject({ ok: true, search: { is_end: false, cut_by: null } })
    expect(asked).toHaveLength(1)
  })

  test('keeps the pages that it has when a later one is refused', async () => {
    serve('/search', (query) =>
      query.has('start') ? '<form id="captcha-form"></form>' : googlePage(['a', 'b'], '/search?q=shoes&start=10'),
    )
    const checked = await search({ pages: 3 })
    expect(checked).toMatchObject({ ok: true, search: { is_end: false, cut_by: 'blocked', page_ends: [2] } })
    expect(checked.ok && checked.search.warnings).toHaveLength(1)
    expect(asked).toHaveLength(2)
  })

  test.each([
    ['a page that says so', '<form id="captcha-form"></form>', 200],
    ['a status', '<p>No</p>', 429],
  ])('is refused by %s, is not repeated, and keeps nothing of it', async (_, page, code) => {
    serve('/search', () => ({ status: code, html: page }))
    const checked = await search({ pages: 3 })
    expect(checked).toMatchObject({ ok: false, fault: { code: 'blocked' }, engine: { outcome: 'blocked' } })
    expect(unreadOf(checked)).toBeNull()
    expect(asked).toHaveLength(1)
  })

  test('is an error of the engine for a 5xx', async () => {
    serve('/search', () => ({ status: 502, html: '<p>Bad gateway</p>' }))
    const checked = await search()
    expect(checked).toMatchObject({ ok: false, engine: { outcome: 'engine_error' } })
    expect(unreadOf(checked)).toBeNull()
  })

  test('keeps a page that was not recognized', async () => {
    serve('/search', () => '<!doctype html><p>A new layout</p>')
    const checked = await search()
    expect(checked).toMatchObject({ ok: false, engine: { outcome: 'unparsed' } })
    expect(unreadOf(checked)).toContain('A new layout')
  })

  test('reads a page whose names are unknown as a guess, and says so', async () => {
    serve('/search', () => googlePage(['a', 'b', 'c'], null).replaceAll(/ class="[^"]*"/g, ''))
    const checked = await search()
    expect(checked).toMatchObject({ ok: true, search: { is_guess: true } })
    expect(checked.ok && checked.search.warnings.join(' ')).toContain('fire no alert')
  })

  test('loads a page once more when its scripts did not run, and is refused then', async () => {
    serve(
      '/search',
      () => '<noscript><meta http-equiv="refresh" content="9;url=/httpservice/retry/enablejs"></noscript>',
    )
    expect(await search()).toMatchObject({ ok: false, engine: { outcome: 'blocked' } })
    expect(asked).toHaveLength(2)
  })
})

describe('a question for consent', () => {
  const FORM = (more: string) =>
    `<form method="post" action="https://consent.google.com/save">${more}<button>Go on</button></form>`

  test('is answered by refusing, and the search goes on', async () => {
    let saved = ''
    site.page('/save', (response, request) => {
      request.setEncoding('utf8').on('data', (text: string) => void (saved += text))
      request.on('end', () =>
        response.writeHead(302, { location: '/search?q=shoes', 'set-cookie': 'SOCS=no; path=/' }).end(),
      )
    })
    site.page('/search', (response, request, nth) => {
      const isAnswered = (request.headers.cookie ?? '').includes('SOCS')
      const accept = FORM(
        '<input type="hidden" name="set_eom" value="false"><input type="hidden" name="set_sc" value="true">',
      )
      const refuse = FORM('<input type="hidden" name="set_eom" value="true">')
      html(isAnswered ? googlePage(['a', 'b'], null) : `<!doctype html>${accept}${refuse}`)(response, request, nth)
    })
    expect(await search()).toMatchObject({ ok: true, search: { outcome: 'ok', page_ends: [2] } })
    expect(saved).toBe('set_eom=true')
  })

  test('that comes again after its answer is an error of the engine', async () => {
    site.page('/save', status(204))
    serve('/search', () => `<!doctype html>${FORM('<input type="hidden" name="set_eom" value="true">')}`)
    expect(await search()).toMatchObject({ ok: false, engine: { outcome: 'engine_error' } })
  })
})

describe('an empty answer of Bing', () => {
  const NONE = '<!doctype html><ol id="b_results"><li class="b_no">There are no results</li></ol>'

  test('is trusted when another search finds something', async () => {
    serve('/search', (query) => (query.get('q') === 'shoes' ? NONE : PAGES.bing))
    expect(await search({ engine: 'bing' })).toMatchObject({
      ok: true,
      search: { outcome: 'zero', results: [], is_end: true },
    })
    expect(asked.map(({ url }) => url.searchParams.get('q'))).toEqual(['shoes', 'shoes', 'weather'])
  })

  test('on a later page is the end of the list, and a refusal only when nothing is found for anything', async () => {
    let isRefused = false
    serve('/search', (query) => {
      if (query.has('first')) return NONE
      return query.get('q') === 'weather' && isRefused ? NONE : PAGES.bing
    })
    expect(await search({ engine: 'bing', pages: 3 })).toMatchObject({
      search: { is_end: true, cut_by: null, page_ends: [3] },
    })
    isRefused = true
    expect(await search({ engine: 'bing', pages: 3 })).toMatchObject({ search: { is_end: false, cut_by: 'blocked' } })
  })

  test('is a refusal when nothing is found for anything', async () => {
    serve('/search', () => NONE)
    expect(await search({ engine: 'bing' })).toMatchObject({ ok: false, engine: { outcome: 'blocked' } })
  })
})

test('A list that grows by a button is read once, and ends where the button adds nothing', async () => {
  const item = (name: string) =>
    `<li><article data-testid="result"><h2><a data-testid="result-title-a" href="https://${name}.example/">${name}` +
    '</a></h2></article></li>'
  const script = `const more = [${JSON.stringify(item('b') + item('c'))}]
    const list = document.querySelector('ol')
    document.querySelector('button').onclick = () => list.insertAdjacentHTML('beforeend', more.pop() ?? '')`
  serve(
    '/',
    () => `<!doctype html><ol>${item('a')}</ol><button id="more-results">More</button><script>${script}</script>`,
  )
  const checked = await search({ engine: 'duckduckgo', pages: 4 })
  expect(checked).toMatchObject({ ok: true, search: { page_ends: [1, 3], is_end: true } })
})

test('A list that grows by a button ends where the button is gone, however much it added', async () => {
  const item = (name: string) =>
    `<li><article data-testid="result"><h2><a data-testid="result-title-a" href="https://${name}.example/">${name}` +
    '</a></h2></article></li>'
  const more = 'bcdefghijk'.split('').map(item).join('')
  const script = `document.querySelector('button').onclick = ({ target }) => {
    document.querySelector('ol').insertAdjacentHTML('beforeend', ${JSON.stringify(more)})
    target.remove()
  }`
  serve(
    '/',
    () => `<!doctype html><ol>${item('a')}</ol><button id="more-results">More</button><script>${script}</script>`,
  )
  const checked = await search({ engine: 'duckduckgo', pages: 4 })
  expect(checked).toMatchObject({ ok: true, search: { page_ends: [1, 11], is_end: true, cut_by: null } })
})

test.each([
  ['desktop', 'us', 'en', { agent: /X11; Linux x86_64.*Chrome\/\d+/, says: 'false 0 en-US America/New_York' }],
  ['mobile', 'de', 'de', { agent: /Android.*Chrome\/\d+.*Mobile/, says: 'true 1 de-DE Europe/Berlin' }],
] as const)(
  'A %s has viewport, touch, user agent, language and time zone that agree',
  async (device, country, language, seen) => {
    const script = `const { userAgentData, maxTouchPoints, language } = navigator
    document.querySelector('h3').textContent = [screen.width < 500, Math.min(1, maxTouchPoints), language,
      Intl.DateTimeFormat().resolvedOptions().timeZone].join(' ')`
    serve('/search', () => `${googlePage(['a'], null)}<script>${script}</script>`)
    const checked = await search({ device, location_code: country, language_code: language })
    expect(checked.ok && checked.search.results[0]?.title).toBe(seen.says)
    expect(asked[0]?.agent).toMatch(seen.agent)
  },
)

test('tidemark check serp prints the results as a table, and with --json as one object', async () => {
  serve('/search', () => googlePage(['a', 'mine'], null))
  const run = async (json: boolean) => {
    let out = ''
    const options = {
      engine: 'google',
      country: 'US',
      language: 'en',
      device: 'desktop',
      pages: '1',
      target: 'mine.example',
    }
    const output = {
      io: process,
      form: json ? ('json' as const) : ('table' as const),
      out: (text: string) => void (out += text),
      err: () => {},
    }
    const means = { browsers, endpoints: { google: site.origin } }
    expect(await runSearch(searchOf('shoes', options), 'mine.example', output, means)).toBe(true)
    return out
  }
  const shown = await run(false)
  expect(shown).toContain('2 results · 1 page')
  expect(shown).toMatch(/→ 2 {2}mine {3}https:\/\/mine\.example\/|→ 2 {2}mine +https:\/\/mine\.example\//)
  expect(shown).toContain('mine.example: #2')
  expect(JSON.parse(await run(true))).toMatchObject({
    outcome: 'ok',
    target_rank: 2,
    organic_results: [{ position: 1 }, { position: 2 }],
  })
})

test('tidemark check serp names every option that is wrong', () => {
  const wrong = { engine: 'lycos', country: 'usa', language: 'en', device: 'watch', pages: '9', target: 'https://' }
  expect(() => searchOf('shoes', wrong)).toThrow(/--engine[^]*--pages[^]*--country[^]*--device[^]*--target/)
})

test('an engine whose name cannot be looked up is no misspelled address', async () => {
  const search = { engine: 'google', keyword: 'shoes', pages: 1 } as const
  const where = { location_code: 'us', language_code: 'en', device: 'desktop' } as const
  const endpoints = { google: 'http://no-such-host.invalid' }
  const checked = await checkSearch({ ...search, ...where }, { browsers, extractor, endpoints, signal: NEVER })
  expect(checked).toMatchObject({
    engine: { outcome: 'failed' },
    fault: { code: 'dns_failed', message: expect.stringMatching(/^The host name of Google .*Check the network/) },
  })
})
