import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { destinationOf, sameness } from '../../../runners/serp/result-url.ts'
import { SERP_ENGINES } from '../../../schema/serp/serp-search.ts'
import { isWrapper } from './wrappers.ts'

const BASES = {
  google: 'https://www.google.com/search?q=x',
  bing: 'https://www.bing.com/search?q=x',
  yahoo: 'https://search.yahoo.com/search?p=x',
  duckduckgo: 'https://duckduckgo.com/?q=x',
  yandex: 'https://yandex.com/search/?text=x',
} as const
type Engine = keyof typeof BASES

function urlOf(engine: Engine, href: string, hidden = new Map<string, string>()): string | null {
  const destination = destinationOf(href, { engine, base: BASES[engine], hidden })
  return destination.kind === 'url' ? destination.url.href : destination.kind === 'hidden' ? destination.token : null
}

const ENCODED = Buffer.from('https://example.com/a?b=c').toString('base64url')
const BING = `https://www.bing.com/ck/a?!&&p=1&u=a1${ENCODED}&ntb=1`

describe('the address of a result', () => {
  test.each([
    ['google', 'https://example.com/a?b=c#:~:text=d', 'https://example.com/a?b=c'],
    ['google', '/url?q=https://example.com/a%3Fb%3Dc&sa=U', 'https://example.com/a?b=c'],
    ['google', 'https://www.google.de/url?sa=t&url=https%3A%2F%2Fexample.com%2Fa%3Fb%3Dc', 'https://example.com/a?b=c'],
    ['bing', BING, 'https://example.com/a?b=c'],
    ['bing', 'https://www.bing.com/rebates/welcome?url=https%3a%2f%2fexample.com%2f', 'https://example.com/'],
    [
      'yahoo',
      'https://r.search.yahoo.com/_ylt=A/RV=2/RE=1/RO=10/RU=https%3a%2f%2fexample.com%2fa%3fb%3dc/RK=2/RS=x-',
      'https://example.com/a?b=c',
    ],
    ['duckduckgo', '//duckduckgo.com/l/?uddg=https%3A%2F%2Fexample.com%2Fa%3Fb%3Dc&rut=0', 'https://example.com/a?b=c'],
    ['yandex', 'https://yandex.ru/turbo?text=https%3A%2F%2Fexample.com%2Fa', 'https://example.com/a'],
  ] as const)('is taken out of the redirects of %s', (engine, href, url) => {
    expect(urlOf(engine, href)).toBe(url)
  })

  test('is taken out of redirects inside each other', () => {
    const inner = encodeURIComponent(BING)
    expect(urlOf('yahoo', `https://r.search.yahoo.com/_ylt=A/RU=${inner}/RK=2/RS=x`)).toBe('https://example.com/a?b=c')
  })

  test('keeps its query, but for what Google adds at each view', () => {
    expect(urlOf('google', 'https://example.com/?a=1&srsltid=AfmB&b=2')).toBe('https://example.com/?a=1&b=2')
    expect(urlOf('google', 'https://example.com/?utm_source=x')).toBe('https://example.com/?utm_source=x')
  })

  test.each([
    ['google', 'https://www.googleadservices.com/pagead/aclk?sa=L&adurl=https://example.com/'],
    ['google', '/search?q=another'],
    ['google', '/imgres?imgurl=https://example.com/a.png'],
    ['google', 'javascript:void(0)'],
    ['google', 'https:///'],
    ['bing', 'https://www.bing.com/aclick?ld=e8&u=aHR0cHM6Ly9leGFtcGxlLmNvbQ'],
    ['bing', 'https://www.bing.com/ck/a?u=a1%%%'],
    ['yahoo', 'https://r.search.yahoo.com/_ylt=A/RU=https%3a%2f%2fwww.bing.com%2faclick%3fld%3de8/RK=2'],
    ['yahoo', 'https://r.search.yahoo.com/_ylt=A/RU=%E0%A4%A/RK=2'],
    ['duckduckgo', 'https://duckduckgo.com/y.js?ad_domain=example.com'],
    ['yandex', 'https://yabs.yandex.ru/count/x'],
    ['yandex', 'https://yandex.ru/images/search?text=x'],
  ] as const)('is none for an advert or a link into %s itself: %s', (engine, href) => {
    expect(urlOf(engine, href)).toBe(null)
  })

  test('may be a page of the company behind the engine', () => {
    expect(urlOf('google', 'https://cloud.google.com/run')).toBe('https://cloud.google.com/run')
    expect(urlOf('google', 'https://support.google.com/answer/1')).toBe('https://support.google.com/answer/1')
    expect(urlOf('yandex', 'https://zen.yandex.ru/media/a')).toBe('https://zen.yandex.ru/media/a')
  })

  test('is found by its token where Google hides it', () => {
    const hidden = new Map([['CAESabc', 'https://example.com/a']])
    expect(urlOf('google', '/goto?url=CAESabc%3D&ved=2', hidden)).toBe('https://example.com/a')
    expect(urlOf('google', '/url?q=CAESabc&sa=U', hidden)).toBe('https://example.com/a')
    expect(urlOf('google', '/goto?url=CAESother')).toBe('CAESother')
  })

  test('is never a redirect, whatever the link is', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'https://www.google.com/url?q=',
        '/url?url=',
        '/goto?url=',
        'https://www.bing.com/ck/a?u=a1',
        '//duckduckgo.com/l/?uddg=',
        'https://r.search.yahoo.com/RU=',
        '/RK=2',
        'https://yandex.ru/turbo?text=',
        'https://www.google.com/aclk?adurl=',
        'CAES',
        'https%3A%2F%2F',
        'https://example.com/',
        'aHR0cHM6Ly93d3cuZ29vZ2xlLmNvbS91cmw_cT14',
        '%',
        '#',
        '&q=',
        '\\',
        '//',
      ),
      fc.string({ maxLength: 6 }),
    )
    fc.assert(
      fc.property(fc.constantFrom(...SERP_ENGINES), fc.array(piece, { maxLength: 8 }), (engine, pieces) => {
        const destination = destinationOf(pieces.join(''), { engine, base: BASES[engine], hidden: new Map() })
        if (destination.kind === 'url') expect(isWrapper(destination.url)).toBe(false)
      }),
      { numRuns: 3_000 },
    )
  })
})

describe('two results', () => {
  test('are the same page despite scheme, fragment-free parameters of campaigns and the case of the host', () => {
    expect(sameness('http://Example.com/a?b=1&utm_source=x')).toBe(sameness('https://example.com/a?b=1'))
    expect(sameness('https://example.com/a?b=1')).not.toBe(sameness('https://example.com/a?b=2'))
    expect(sameness('https://example.com/a')).not.toBe(sameness('https://example.com/A'))
  })
})
