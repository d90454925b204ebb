import fc from 'fast-check'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { parseHtml } from '../../../runners/extract/html/html.ts'
import { createExtractor } from '../../../runners/extract/pool/extractor.ts'
import { ENGINES } from '../../../runners/serp/engines.ts'
import { SHOWN_BLOCKS } from '../../../runners/serp/engines/shown-blocks.ts'
import { PageQuery } from '../../../runners/serp/page-query.ts'
import { readSearchPage } from '../../../runners/serp/read-search-page.ts'
import { searchPageReader } from '../../../runners/serp/search-page-reader.ts'
import { SERP_LIMITS, type SentPage } from '../../../runners/serp/search-page.ts'
import type { SerpEngine } from '../../../schema/serp/serp-search.ts'
import { PAGES } from '../../support/browser/search-pages.ts'
import { describeIf } from '../../support/run/skip.ts'
import { isWrapper } from './wrappers.ts'

const URLS: Readonly<Record<SerpEngine, string>> = {
  google: 'https://www.google.com/search?q=x',
  bing: 'https://www.bing.com/search?q=x',
  yahoo: 'https://search.yahoo.com/search?p=x',
  duckduckgo: 'https://duckduckgo.com/?q=x',
  yandex: 'https://yandex.com/search/?text=x',
}
const ENGINE_NAMES = Object.keys(URLS) as SerpEngine[]

const sent = (engine: SerpEngine, more: Partial<SentPage> = {}): SentPage => ({
  engine,
  device: 'desktop',
  url: URLS[engine],
  status: 200,
  ...more,
})
const read = (engine: SerpEngine, html: string, more: Partial<SentPage> = {}) =>
  readSearchPage(Buffer.from(html), 'text/html; charset=utf-8', sent(engine, more))

describe('a page of results', () => {
  test.each(ENGINE_NAMES)('of %s gives title, address, domain and description of each, in order', (engine) => {
    const page = read(engine, PAGES[engine])
    expect(page).toMatchObject({ outcome: 'ok', isStructural: false })
    expect(page.results.map(({ title, url, domain, description }) => [title, url, domain, description])).toEqual([
      ['First title', 'https://first.example/a?b=c', 'first.example', 'The first snippet.'],
      ['Second title', 'https://www.second.example/', 'www.second.example', 'The second snippet.'],
      ['Third title', 'https://third.example/x', 'third.example', null],
    ])
    expect(page.next).not.toBe(null)
  })

  test.each([
    ['google', '/search?q=x', '<a class="fl" href="/search?q=x&amp;start=20">3</a>', 'start=10'],
    ['bing', '/search?q=x', '<ul class="b_pag"><a href="/search?q=x&amp;first=21">3</a>', 'first=11'],
    ['yahoo', '/search?p=x', '<div class="compPagination"><a href="/search?p=x&amp;b=15">3</a>', 'b=8'],
    ['yandex', '/search/?text=x', '<div class="Pager"><a href="/search/?text=x&amp;p=2">3</a>', 'p=1'],
  ] as const)('of %s leads on by its numbered links, where its next link is unknown', (...[engine, path, far, at]) => {
    const { origin } = new URL(URLS[engine])
    const near = far.replace(/[a-z]+=\d+/, at)
    const unknown = PAGES[engine].replace(/<a (?:id|class)="(?:pnnext|sb_pagN|next|Pager-Item_type_next)"/, '<a ')
    const next = { kind: 'link', url: `${origin}${path}&${at}` }
    expect(read(engine, `${unknown}${far}${near}`)).toMatchObject({ next, isLast: false })
    const last = { url: `${origin}${path}&${at}` }
    expect(read(engine, `${unknown}${near}`, last)).toMatchObject({ next: null, isLast: true })
  })

  test('of Yandex as it was in 2015 leads on by its button', () => {
    const old = PAGES.yandex.replace('Pager-Item_type_next', 'button pager__button pager__button_kind_nextpage')
    expect(read('yandex', old).next).toEqual({ kind: 'link', url: 'https://yandex.com/search/?text=x&p=1' })
  })

  test('is found under an overlay that asks for consent', () => {
    const overlay = '<div id="xe7COe"><button id="W0wltc">No</button></div>'
    expect(read('google', `${overlay}${PAGES.google}`).outcome).toBe('ok')
  })

  test.each(ENGINE_NAMES)('of %s whose names are unknown is read as a guess, and says so', (engine) => {
    const html = PAGES[engine].replaceAll(/ (?:class|id|data-testid|data-matarget)="[^"]*"/g, '')
    const page = read(engine, html)
    expect(page).toMatchObject({ outcome: 'ok', isStructural: true })
    expect(page.results.map(({ url }) => url)).toEqual(read(engine, PAGES[engine]).results.map(({ url }) => url))
  })

  test('on a phone has headings instead of h3', () => {
    const html = PAGES.google.replaceAll('<h3>', '<div role="heading" aria-level="3">').replaceAll('</h3>', '</div>')
    const phone = html.replaceAll('<a href=', '<a role="presentation" href=')
    expect(read('google', phone, { device: 'mobile' }).results).toHaveLength(3)
    expect(read('google', phone).isStructural).toBe(true)
  })

  test('with hidden addresses gives what its scripts know, and else the site that is shown', () => {
    const goto = (token: string, cite: string) =>
      `<div class="tF2Cxc"><a href="/goto?url=${token}"><h3>T ${token}</h3></a><cite>${cite}</cite></div>`
    const list = `[["/goto?url\\u003dCAES0123456789abcdef"],["https://known.example/deep","t"]]`
    const html =
      `<div id="rso"><div>${goto('CAES0123456789abcdef', 'known.example › deep')}</div>` +
      `<div>${goto('CAESother0123456789', 'https://shown.example › a')}</div>` +
      `${goto('CAESsocial0123456789', '950+ likes · 1 year ago')}</div><script>${list}</script>`
    expect(read('google', html).results.map(({ url, domain, isUrlKnown }) => [url, domain, isUrlKnown])).toEqual([
      ['https://known.example/deep', 'known.example', true],
      ['https://shown.example/', 'shown.example', false],
      ['', '', false],
    ])
  })
})

describe('what is no result', () => {
  test.each([
    ['an advert', '<div data-text-ad="1">', '</div>'],
    ['an answer of “People also ask”', '<div class="related-question-pair">', '</div>'],
    ['a sitelink', '<table class="nrgt"><tr><td>', '</td></tr></table>'],
    ['a card of a carousel', '<g-scrolling-carousel>', '</g-scrolling-carousel>'],
    ['something hidden', '<div style="display: none">', '</div>'],
  ])('%s is left out', (_, before, after) => {
    const other = `<div class="g"><a href="https://other.example/"><h3>Other</h3></a></div>`
    const html = PAGES.google.replace('<div id="rso">', `<div id="rso">${before}${other}${after}`)
    const page = read('google', html)
    expect(page.results).toHaveLength(3)
    expect(Object.values(page.dropped)).toEqual([1])
  })

  test('a featured snippet is a flag', () => {
    const snippet =
      '<block-component><h2>Featured</h2><div class="g"><a href="https://other.example/"><h3>Other</h3></a></div>' +
      '</block-component>'
    const html = PAGES.google.replace('<div id="rso">', `<div id="rso">${snippet}`)
    expect(read('google', html)).toMatchObject({ shown: { featured_snippet: true, ai_overview: false } })
    expect(read('google', html).results).toHaveLength(3)
    expect(read('google', PAGES.google).shown.featured_snippet).toBe(false)
  })

  test('an AI overview is a flag where its text is shown, and not where it was declined', () => {
    const overview = (text: string) => `<div id="eKIzJc"><div class="mZJni">${text}</div></div>${PAGES.google}`
    expect(read('google', overview('Shoes have soles.')).shown.ai_overview).toBe(true)
    expect(read('google', overview('An AI Overview is not available for this search')).shown.ai_overview).toBe(false)
    expect(read('google', overview('<span style="display:none">Shoes</span>')).shown.ai_overview).toBe(false)
    expect(read('google', overview('')).shown.ai_overview).toBe(false)
  })
})

describe('the outcome of a page', () => {
  const EMPTY = '<html><body><p>Something else</p></body></html>'

  test.each([
    ['google', { url: 'https://www.google.com/sorry/index?continue=x' }],
    ['google', { status: 429 }],
    ['google', { status: 403 }],
    ['yahoo', { status: 999 }],
    ['yahoo', { url: 'https://search.yahoo.com/_bv/v.gif?orig=x' }],
    ['yandex', { url: 'https://yandex.com/showcaptcha?cc=1' }],
  ] as const)('of %s is a refusal by address or status alone: %j', (engine, more) => {
    expect(read(engine, PAGES[engine], more).outcome).toBe('blocked')
  })

  test.each([
    ['google', '<form id="captcha-form" action="index"><input name="q"></form>'],
    ['bing', '<div class="captcha"><div class="captcha_header">One last step</div></div>'],
    ['duckduckgo', '<form id="challenge-form" action="//duckduckgo.com/anomaly.js?cc=botnet"></form>'],
    ['yandex', '<form action="/checkcaptcha?key=1"></form>'],
  ] as const)('of %s is a refusal by what stands in it', (engine, html) => {
    expect(read(engine, html)).toMatchObject({ outcome: 'blocked', results: [] })
  })

  test('is an error of the engine for a 5xx, unless its refusal stands in it', () => {
    expect(read('google', EMPTY, { status: 502 }).outcome).toBe('engine_error')
    expect(read('google', '<form id="captcha-form"></form>', { status: 503 }).outcome).toBe('blocked')
    expect(read('duckduckgo', '<form id="challenge-form"></form>', { status: 202 }).outcome).toBe('blocked')
  })

  test('is a question for consent by its host or its forms', () => {
    expect(read('google', EMPTY, { url: 'https://consent.google.de/ml?continue=x' }).outcome).toBe('consent')
    expect(read('google', '<form action="https://consent.google.com/save"></form>').outcome).toBe('consent')
    expect(read('yahoo', EMPTY, { url: 'https://consent.yahoo.com/v2/collectConsent?s=1' }).outcome).toBe('consent')
  })

  test('is zero where the engine says so, and suspect for Bing', () => {
    const none =
      '<div id="botstuff"><div class="mnr-c"><div class="JPMJ2c"><p>Your search - <em>x</em> - did not match</p>' +
      '</div></div></div>'
    expect(read('google', none).outcome).toBe('zero')
    expect(read('google', `<div id="xe7COe"></div>${none}`).outcome).toBe('zero')
    expect(read('yandex', '<div class="EmptySearchResults"></div>').outcome).toBe('zero')
    expect(read('duckduckgo', '<div data-testid="no-results-message">None</div>').outcome).toBe('zero')
    expect(read('bing', '<ol id="b_results"><li class="b_no">There are no results</li></ol>').outcome).toBe(
      'zero_suspect',
    )
  })

  test('is decided by elements and not by words in scripts', () => {
    const words = '<script>var a = "/sorry/ unusual traffic captcha-form did not match any documents"</script>'
    expect(read('google', `${words}${PAGES.google}`).outcome).toBe('ok')
    expect(read('google', `${words}${EMPTY}`).outcome).toBe('unparsed')
  })

  test('is a shell where scripts never ran, and unparsed where nothing is recognized', () => {
    const shell = '<noscript><meta http-equiv="refresh" content="0;url=/httpservice/retry/enablejs?sei=1"></noscript>'
    expect(read('google', shell).outcome).toBe('shell')
    expect(read('google', `${shell}${PAGES.google}`).outcome).toBe('ok')
    for (const engine of ENGINE_NAMES) expect(read(engine, EMPTY)).toMatchObject({ outcome: 'unparsed', results: [] })
  })
})

describe('an untrusted page', () => {
  test('cannot make lists or texts long', () => {
    const long = 'x'.repeat(100_000)
    const block = `<li class="b_algo"><h2><a href="https://a.example/">${long}</a></h2><p>${long}</p></li>`
    const { results } = read('bing', `<ol id="b_results">${block}</ol>`)
    expect(results[0]?.title).toHaveLength(SERP_LIMITS.title)
    expect(results[0]?.description).toHaveLength(SERP_LIMITS.description)
    const many = `<li class="b_algo"><h2><a href="https://a.example/">x</a></h2></li>`.repeat(1_000)
    expect(read('bing', `<ol id="b_results">${many}</ol>`).results).toHaveLength(SERP_LIMITS.results)
  })

  test('never makes reading throw, and never gives a redirect as an address, however it is changed', () => {
    const all = ENGINE_NAMES.map((engine) => [engine, PAGES[engine]] as const)
    fc.assert(
      fc.property(fc.constantFrom(...all), CHANGES, fc.boolean(), ([engine, html], changes, isPhone) =>
        check(engine, changed(html, changes), isPhone ? 'mobile' : 'desktop'),
      ),
      { numRuns: 500 },
    )
  })

  const extractor = createExtractor({ threads: 1 })
  afterAll(() => extractor.close())

  test('is read in a thread', async () => {
    const page = { body: Buffer.from(PAGES.bing), contentType: 'text/html', url: URLS.bing }
    const answer = await extractor.read(searchPageReader(sent('bing')), page)
    expect(answer).toMatchObject({ ok: true, read: { outcome: 'ok' } })
  })

  test('ends with its thread when it takes too long', async () => {
    const body = Buffer.from(PAGES.bing.repeat(3_000))
    const page = { body, contentType: 'text/html', url: URLS.bing }
    const answer = await extractor.read(searchPageReader(sent('bing')), page, { timeoutMs: 1 })
    expect(answer).toMatchObject({ ok: false, fault: { code: 'extract_timeout' } })
  })
})

const CHANGES = fc.array(
  fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    cut: fc.nat(60),
    put: fc.oneof(
      fc.string({ maxLength: 8 }),
      fc.constantFrom(
        '<',
        '>',
        '"',
        '</div>',
        '<a href="/url?q=https://www.google.com/url">',
        '<h3>',
        '</a>',
        '%',
        '&#0;',
        '<table>',
        '<template>',
      ),
    ),
  }),
  { maxLength: 12 },
)
type Changes = readonly { readonly at: number; readonly cut: number; readonly put: string }[]

const changed = (html: string, changes: Changes): string =>
  changes.reduce((text, { at, cut, put }) => {
    const from = Math.floor(at * text.length)
    return text.slice(0, from) + put + text.slice(from + cut)
  }, html)

function check(engine: SerpEngine, html: string, device: SentPage['device']): void {
  const { results, outcome } = read(engine, html, { device })
  for (const { url, title, domain } of results) {
    expect(title).not.toBe('')
    const parsed = url === '' ? null : new URL(url)
    if (parsed) expect(isWrapper(parsed)).toBe(false)
    expect(domain).toBe(parsed?.hostname ?? '')
  }
  if (outcome !== 'ok') expect(results).toEqual([])
}

describe('what an engine shows beside its results', () => {
  const OVERVIEWS: Readonly<Partial<Record<SerpEngine, (text: string) => string>>> = {
    google: (text) => `<div id="eKIzJc"><div class="mZJni">${text}</div></div>`,
    bing: (text) => `<ol id="b_results"><li class="b_ans b_top"><div class="cht_container">${text}</div></li></ol>`,
    duckduckgo: (text) =>
      `<li data-layout="wikinlp"><p data-testid="duckassist-answer-content">${text}</p><button>More</button></li>`,
    yandex: (text) =>
      '<li class="serp-item" data-fast-name="neuro_answer"><div class="FuturisGPTMessage">' +
      `<h3>Quick answer</h3><div class="FuturisMarkdown">${text}</div></div></li>`,
  }
  const SNIPPETS: Readonly<Partial<Record<SerpEngine, (link: string) => string>>> = {
    google: (link) => `<block-component><h2>Featured</h2><a href="${link}"><h3>Soles</h3></a></block-component>`,
    bing: (link) =>
      '<ol id="b_results"><li class="b_ans b_top"><div class="rwrl">Shoes have soles.</div>' +
      `<div class="rwrl_cred"><a href="${link}">Soles</a></div></li></ol>`,
    yandex: (link) =>
      '<div class="serp-item" data-fast="1" data-fast-name="suggest_fact"><div class="fact">Shoes have soles. ' +
      `<a href="${link}">Soles</a></div></div>`,
  }
  const withBlock = (engine: SerpEngine, block: string) => PAGES[engine].replace('<main>', `<main>${block}`)

  test.each(Object.entries(OVERVIEWS) as [SerpEngine, (text: string) => string][])(
    'an AI overview of %s is true where its text is shown, false where not, and no result',
    (engine, overview) => {
      const reading = (block: string) => read(engine, withBlock(engine, block))
      const shown = reading(overview('Shoes have soles.'))
      expect(shown).toMatchObject({ outcome: 'ok', shown: { ai_overview: true } })
      expect(shown.results).toEqual(read(engine, PAGES[engine]).results)
      for (const block of ['', overview(''), overview('<span style="display:none">Shoes</span>')])
        expect(reading(block).shown.ai_overview).toBe(false)
    },
  )

  test.each(Object.entries(SNIPPETS) as [SerpEngine, (link: string) => string][])(
    'a featured snippet of %s is true where it quotes a page, false where not, and no result',
    (engine, snippet) => {
      const reading = (block: string) => read(engine, withBlock(engine, block))
      const shown = reading(snippet('https://soles.example/'))
      expect(shown).toMatchObject({ outcome: 'ok', shown: { featured_snippet: true } })
      expect(shown.results).toEqual(read(engine, PAGES[engine]).results)
      for (const block of ['', snippet('#more'), `<div hidden>${snippet('https://soles.example/')}</div>`])
        expect(reading(block).shown.featured_snippet).toBe(false)
    },
  )

  test('what an engine or a layout does not tell is null', () => {
    expect(read('yahoo', PAGES.yahoo)).toMatchObject({ shown: { ai_overview: null, featured_snippet: null } })
    expect(read('duckduckgo', PAGES.duckduckgo)).toMatchObject({ shown: { featured_snippet: null } })
    const plain =
      '<div id="links"><div class="web-result"><h2><a class="result__a" href="https://a.example/">A</a></h2>'
    expect(read('duckduckgo', plain)).toMatchObject({ outcome: 'ok', shown: { ai_overview: null } })
  })
})

describe('the tables', () => {
  const tree = parseHtml('<p>')

  test.each(ENGINE_NAMES)('have selectors that can be compiled: %s', (engine) => {
    if (tree.kind === 'too_complex') throw new Error('unreachable')
    const query = new PageQuery(tree)
    const shown = Object.values(SHOWN_BLOCKS[engine]).flatMap((table) => Object.values(table))
    const lists = [...Object.values(ENGINES[engine]), ...shown]
    for (const list of lists) if (Array.isArray(list)) query.first(list as readonly string[])
  })
})

const shared = process.env['TIDEMARK_SHARED']
const folder = join(shared ?? '', 'serp-fixtures')
describeIf(shared !== undefined, 'set TIDEMARK_SHARED to the folder with the recorded pages')('saved pages', () => {
  const names = shared === undefined ? [] : readdirSync(folder).filter((name) => name.endsWith('.html'))

  test.each([
    ['bing', 'bing-2022-06', false, false],
    ['bing', 'bing-2026-sang', false, false],
    ['bing', 'bing-2021-nojs-matrix', false, false],
    ['yahoo', 'yahoo-2021-11-au', null, null],
    ['duckduckgo', 'ddg-2026-openserp', true, null],
    ['duckduckgo', 'ddg-2020-session-p1', null, null],
    ['duckduckgo', 'ddg-2026-html-celina', null, null],
    ['yandex', 'yandex-2026-openserp', true, false],
    ['yandex', 'yandex-ky-mobile-2021-03-29', false, true],
    ['yandex', 'yandex-2015-page5', null, null],
  ] as const)('say what %s shows beside its results: %s', (engine, name, overview, snippet) => {
    const html = readFileSync(join(folder, `${name}.html`), 'utf8')
    const device = name.includes('mobile') ? 'mobile' : 'desktop'
    expect(read(engine, html, { device })).toMatchObject({
      outcome: 'ok',
      shown: { ai_overview: overview, featured_snippet: snippet },
    })
  })

  test.each([
    ['google', 'google-nojs-urlq', 'start=10'],
    ['yandex', 'yandex-2015-nores', 'p=1'],
  ] as const)('of older layouts lead on: %s, %s', (engine, name, at) => {
    const { next } = read(engine, readFileSync(join(folder, `${name}.html`), 'utf8'))
    expect(next).toMatchObject({ kind: 'link', url: expect.stringContaining(at) })
  })

  test('never make reading throw, and never give a redirect, however they are changed', () => {
    const small = names
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const)
      .filter(([, html]) => html.length < 120_000)
    fc.assert(
      fc.property(fc.constantFrom(...small), CHANGES, ([name, html], changes) => {
        const first = name.split('-', 1)[0] ?? ''
        const engine = first === 'ddg' ? 'duckduckgo' : (first as SerpEngine)
        check(engine, changed(html, changes), name.includes('mobile') ? 'mobile' : 'desktop')
      }),
      { numRuns: 60 },
    )
  })
})
