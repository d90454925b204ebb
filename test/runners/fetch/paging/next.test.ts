import { describe, expect, test } from 'vitest'
import { nextLink } from '../../../../runners/fetch/paging/link-next.ts'
import { nextUrl } from '../../../../runners/fetch/paging/next-url.ts'
import { withQueryParam } from '../../../../runners/fetch/paging/query-param.ts'

describe('a Link header', () => {
  test.each([
    ['<https://a.example/?page=2>; rel="next"', 'https://a.example/?page=2'],
    ['</2>;rel=next', '/2'],
    ['<2>; REL="last Next"', '2'],
    ['<1>; rel="prev", <3>; rel="next", <9>; rel="last"', '3'],
    ['<a,b;c>; title="x, <y>; rel=next"; rel=next', 'a,b;c'],
    ['<1>; rel=prev; rel=next, <2>; rel=next', '2'],
    ['<1>; rel=next; anchor="/other", <2>; rel=next', '2'],
    ['<1>; title="quo\\"te"; rel=next', '1'],
    ['<1>; rel="prev"', null],
    ['<1>; rel="nextish"', null],
    ['<1>; title="rel=next"', null],
    ['rel=next', null],
    ['<unclosed; rel=next', null],
    ['', null],
    [null, null],
  ])('%s leads to %s', (header, expected) => {
    expect(nextLink(header)).toBe(expected)
  })

  test('of hostile length is read in no time', () => {
    const before = process.threadCpuUsage()
    for (const part of ['<', '<>"', '<a>;', '<a>;rel="', '<a>,', '"', '<a>; rel=prev,', '\\"', ';', '<a>;a'])
      nextLink(part.repeat(16_384 / part.length))
    // A scan that goes back for each character takes seconds.
    expect(process.threadCpuUsage(before).user).toBeLessThan(300_000)
  })
})

describe('a query parameter', () => {
  test.each([
    ['https://a.example/x', 'page', '2', 'https://a.example/x?page=2'],
    ['https://a.example/x?q=a%20b+c&page=1&z', 'page', '2', 'https://a.example/x?q=a%20b+c&page=2&z'],
    ['https://a.example/x?page=1&page=9&b=2', 'page', '3', 'https://a.example/x?page=3&b=2'],
    ['https://a.example/x?p%61ge=1', 'page', '2', 'https://a.example/x?page=2'],
    ['https://a.example/x?a[page]=1&%zz', 'a[page]', '2', 'https://a.example/x?a%5Bpage%5D=2&%zz'],
    ['https://a.example/x?', 'after', 'a&b=c #/é', 'https://a.example/x?after=a%26b%3Dc%20%23%2F%C3%A9'],
    ['https://a.example/x', 'after', '\ud800', 'https://a.example/x?after=%EF%BF%BD'],
  ])('of %s: %s=%s', (url, name, value, expected) => {
    expect(withQueryParam(new URL(url), name, value).href).toBe(expected)
  })
})

describe('a next URL', () => {
  const base = 'https://a.example/api/list?page=1'
  test.each([
    ['https://b.example/2', 'https://b.example/2'],
    ['?page=2', 'https://a.example/api/list?page=2'],
    ['/v2/list', 'https://a.example/v2/list'],
    ['../2', 'https://a.example/2'],
    ['//b.example/2', 'https://b.example/2'],
    ['next#top', 'https://a.example/api/next'],
  ])('%s is %s', (raw, expected) => {
    const url = nextUrl(raw, base)
    expect(url.ok && url.url.href).toBe(expected)
  })

  test.each([
    'javascript:alert(1)',
    'file:///etc/passwd',
    'ftp://a.example/',
    'http:x',
    '\\\\b.example',
    'a b',
    '/\t2',
    'https://u:p@b.example/',
    `/${'x'.repeat(2_048)}`,
  ])('%s is refused', (raw) => {
    expect(nextUrl(raw, base).ok).toBe(false)
  })
})
