import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isSearchResultsUrl, monitorQueue } from '../../../core/check-queue.ts'
import { needsBrowser } from '../../../runners/extract/shell/is-shell.ts'
import { MEASURED_CHARS, measurePage } from '../../../runners/extract/shell/page-features.ts'
import { processorMs } from '../../support/run/processor-ms.ts'
import { describeIf } from '../../support/run/skip.ts'

const verdict = (html: string) => needsBrowser(measurePage(html))
const PROSE = 'A sentence that somebody wrote for others to read. '.repeat(12)

describe('a page needs a browser', () => {
  test.each([
    ['an empty root with a bundle', '<div id="root"></div><script src="/a.js"></script>'],
    ['an empty root with a comment in it', '<div id="app"><!-- here --></div><script src="/a.js"></script>'],
    ['a custom root element', '<h1>Shop</h1><app-root></app-root><script src="/a.js"></script>'],
    [
      'a root beside a menu',
      `<nav>Home Shop About Contact</nav><div id="__next"></div><script src="/a.js"></script><footer>© Shop, all ` +
        `rights reserved, imprint and terms</footer>`,
    ],
    [
      'a note that asks for JavaScript',
      '<noscript>You need to enable JavaScript to run this app.</noscript><header>The Shop: everything that you ' +
        'need for your garden and home</header><main></main><script src="/a.js"></script>',
    ],
    [
      'scripts and a title alone',
      '<title>A title of some length that nobody counts as text</title><script>go()</script>',
    ],
    [
      'a message over a large script',
      `<p>Loading the page. Please wait a moment until it is here.</p><p>Thank ` +
        `you!</p><script>${'x();'.repeat(2_000)}</script>`,
    ],
    ['a meta refresh', '<meta http-equiv="refresh" content="0; url=/next"><p>Moved.</p>'],
    [
      'a shell that starts from data',
      `<div id="__nuxt"></div><script type="application/json">${JSON.stringify({ text: PROSE })}</script><script ` +
        `src="/a.js"></script>`,
    ],
  ])('%s', (_, html) => {
    expect(verdict(`<!doctype html><html><body>${html}</body></html>`)).toEqual(expect.any(String))
  })
})

describe('a page is read as it came', () => {
  test.each([
    ['text without scripts', '<p>No.</p>'],
    ['nothing at all', ''],
    ['text with many scripts', `<p>${PROSE}</p><script src="/a.js"></script><script>${'x();'.repeat(20_000)}</script>`],
    ['an empty root beside text', `<div id="root"></div><p>${PROSE}</p><script src="/a.js"></script>`],
    ['a root that was filled by the server', `<div id="root"><p>${PROSE}</p></div><script src="/a.js"></script>`],
    [
      'a note for those without JavaScript beside text',
      `<noscript>Enable JavaScript</noscript><p>${PROSE}</p><script src="/a.js"></script>`,
    ],
    [
      'a short page with a small script',
      '<h1>Order 4711</h1><p class="price">Total: 42.00 euros, paid</p><p>Thank you for your order, it is on its ' +
        'way.</p><script>track()</script>',
    ],
    ['a page that loads itself again each minute', '<meta http-equiv="refresh" content="60"><p>Scores: 1 to 0</p>'],
    [
      'data in a page without scripts that run',
      '<p>Short.</p><script type="application/ld+json">{"@type":"Thing"}</script>',
    ],
  ])('%s', (_, html) => {
    expect(verdict(html)).toBeNull()
  })
})

describe('measuring', () => {
  test('what no reader sees is no text: scripts, styles, templates, comments, attributes', () => {
    const hidden =
      `<!-- ${PROSE} --><style>${PROSE}</style><template>${PROSE}</template><script>${PROSE}</script><img ` +
      `alt="${PROSE}">`
    expect(measurePage(`<body>${hidden}<p>  seen \n twice </p></body>`).textLength).toBe('seen twice'.length)
  })

  test.each(['<a "', '<script', '<!--', '<noscript><', '<div id=root>', '<svg>', '</', '<div id=root ', '&nbsp;<'])(
    'a page of nothing but %s takes no longer than its length allows',
    (piece) => {
      const page = piece.repeat(Math.ceil(MEASURED_CHARS / piece.length))
      expect(processorMs(() => measurePage(page))).toBeLessThan(1_000)
    },
  )
})

const html = join(process.env['TIDEMARK_SHARED'] ?? '', 'corpus/html')
describeIf(process.env['TIDEMARK_SHARED'] !== undefined, 'set TIDEMARK_SHARED')('Pages of others', () => {
  const names =
    process.env['TIDEMARK_SHARED'] === undefined ? [] : readdirSync(html).filter((name) => name.endsWith('.html'))
  test.each(names)('%s is read as it came: a browser without scripts shows its text too', (name) => {
    expect(verdict(readFileSync(join(html, name), 'latin1'))).toBeNull()
  })
})

describe('search results', () => {
  test.each([
    'https://www.google.com/search?q=a',
    'https://google.co.uk/search?q=a&hl=en',
    'https://www.bing.com/search?q=a',
    'https://duckduckgo.com/?q=a',
    'https://html.duckduckgo.com/html/?q=a',
    'https://search.yahoo.com/search?p=a',
    'https://search.brave.com/search?q=a',
    'https://www.baidu.com/s?wd=a',
  ])('%s is a page of them', (url) => {
    expect(isSearchResultsUrl(url)).toBe(true)
  })

  test('a monitor of one is rendered at once, also under auto; with a request_config it is fetched directly', () => {
    const auto = { fetch_mode: 'auto', request_config: null, visual_config: null } as const
    const url = 'https://www.google.com/search?q=a'
    expect(monitorQueue({ ...auto, url })).toBe('browser')
    expect(monitorQueue({ ...auto, url, request_config: {} })).toBe('static')
    expect(monitorQueue({ ...auto, url: 'https://example.com/' })).toBe('static')
  })

  test.each([
    'https://www.google.com/',
    'https://www.google.com/search',
    'https://google.com.evil.example/search?q=a',
    'https://notgoogle.com/search?q=a',
    'https://example.com/search?q=a',
    'https://duckduckgo.com/about?q=a',
    'not an address',
  ])('%s is not', (url) => {
    expect(isSearchResultsUrl(url)).toBe(false)
  })
})
