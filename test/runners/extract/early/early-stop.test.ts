import { describe, expect, test } from 'vitest'
import { compileRules } from '../../../../runners/extract/compiled.ts'
import { firstMatches } from '../../../../runners/extract/early/first-matches.ts'
import { extract } from '../../../../runners/extract/extract.ts'
import { parseHtml } from '../../../../runners/extract/html/html.ts'
import type { Sought } from '../../../../runners/extract/html/sought.ts'
import { EXTRACT_LIMITS } from '../../../../runners/extract/limits.ts'
import { fieldsOnTree } from '../../../../runners/extract/on-tree.ts'
import type { ExtractConfig } from '../../../../schema/monitor/extract-config.ts'
import { faultCode, html } from '../pages.ts'
import { bothReadings, type Method } from './both-readings.ts'

const REST = '<footer><p>Imprint</p></footer>'.repeat(20)
const pageOf = (content: string, rest = REST) => `<!doctype html><html><body>${content}${rest}</body></html>`
const PRICE = '<p class="price">1 <b>€</b></p>'

function readTo(text: string, rule: string, method: Method = 'css'): number | null {
  const both = bothReadings(text, method, { it: rule })
  expect(both.early).toEqual(both.whole)
  return both.readTo
}

describe('a page is read to the end of the first match', () => {
  test.each<[rule: string, method: Method]>([
    ['.price', 'css'],
    ['p.price', 'css'],
    ['body > p', 'css'],
    ['h1 + p', 'css'],
    ['h1 ~ p:nth-child(2)', 'css'],
    [':is(p, q):not([id]):first-of-type', 'css'],
    ['.price::text', 'css'],
    ['.price::attr(class)', 'css'],
    ['#none, .price', 'css'],
    ['//p', 'xpath'],
    ['/html/body/p[1]', 'xpath'],
    ['//p[@class="price"]/text()', 'xpath'],
    ['//*[contains(@class, "price") and not(@id)]/b', 'xpath'],
    ['normalize-space(//p[parent::body])', 'xpath'],
    ['(//h1 | //p)[2]', 'xpath'],
    ['number(//p) + 1', 'xpath'],
    ['//p/@class', 'xpath'],
  ])('%s (%s)', (rule, method) => {
    const text = pageOf(`<h1>Kettle</h1>${PRICE}`)
    const to = readTo(text, rule, method)
    expect(to).not.toBeNull()
    expect(to).toBeLessThan(text.indexOf('<footer>') + 30)
  })

  test('in the head, before there is a body', () => {
    const text = `<html><head><title>Kettle</title><meta name=a content=b></head><body class=x>${REST}`
    expect(readTo(text, 'title')).toBeLessThan(text.indexOf('<body'))
    expect(readTo(text, 'meta::attr(content)')).toBeLessThan(text.indexOf('<body'))
  })

  test('and to that of the last field', () => {
    const text = pageOf(`${PRICE}<h2>Later</h2>`)
    const { early, whole, readTo: to } = bothReadings(text, 'css', { price: '.price', title: 'h2' })
    expect(early).toEqual(whole)
    expect(to).toBeGreaterThanOrEqual(text.indexOf('</h2>'))
    expect(to).toBeLessThan(text.indexOf('</footer>'))
  })
})

describe('a page is read on', () => {
  test.each<[rule: string, method: Method]>([
    ['.price[]', 'css'],
    ['p:has(b)', 'css'],
    ['p:last-child', 'css'],
    ['p:last-of-type', 'css'],
    ['p:nth-last-child(n)', 'css'],
    ['p:nth-child(n of .price)', 'css'],
    ['p:only-of-type, p', 'css'],
    ['b:only-child', 'css'],
    [':not(:empty)', 'css'],
    ['.none', 'css'],
    ['//p[]', 'xpath'],
    ['//p[last()]', 'xpath'],
    ['count(//p)', 'xpath'],
    ['sum(//p)', 'xpath'],
    ['//p[b]', 'xpath'],
    ['//p[. = "x"]', 'xpath'],
    ['//p[following-sibling::*]', 'xpath'],
    ['//p[preceding-sibling::h1]', 'xpath'],
    ['//p[ancestor::body]', 'xpath'],
    ['//b/following::p', 'xpath'],
    ['//b/..', 'xpath'],
    ['//b/ancestor::p', 'xpath'],
    ['//p = "Imprint"', 'xpath'],
    ['string(/)', 'xpath'],
    ['string()', 'xpath'],
    ['id("a")', 'xpath'],
  ])('for %s (%s)', (rule, method) => {
    expect(readTo(pageOf(PRICE), rule, method)).toBeNull()
  })

  test('where elements are left out first, or values are treated, or the page is read in more than one way', () => {
    const text = `<link class=price href=b><base href="http://base.example/">${pageOf(PRICE)}`
    const config = { method: 'css', fields: { it: '.price::attr(href)' } } as const
    const treated = { ...config, clean: { it: [{ do: 'absolute_links' }] } } satisfies ExtractConfig
    expect(extract(html(text), treated)).toMatchObject({ values: { it: 'http://base.example/b' } })
    const ignoring = { ...config, fields: { it: 'p' }, ignore: { selectors: ['footer ~ a', '.price'] } }
    expect(extract(html(text), ignoring)).toMatchObject({ values: { it: 'Imprint' } })
  })

  test.each([
    ['foster parents', `<table><tr><td>${PRICE}</td></tr>`, '<p class=price>2</p></table>'],
    ['text that is put before a table', `<table><caption>${PRICE}</caption>`, '<b class=price>2</b></table>'],
    ['an open formatting element', `<b><div>${PRICE}`, `</b></div>${REST}`],
    ['a link that another one closes', `<a href=x><div>${PRICE}`, `<a href=y></div>${REST}`],
    ['a template', `<template>${PRICE}`, `</template>${PRICE}`],
    ['a match that is open', '<div class=price>1', REST],
    ['a late body', PRICE + REST, '<body class=late>'],
    ['a late html', PRICE + REST, '<HTML lang=de>'],
    ['a late frameset', '<p class=price>', '<frameset>'],
  ])('behind %s', (_what, content, rest) => {
    for (const rule of ['.price', 'b .price', 'b > div > .price', 'a > div > .price', '.late .price', ':lang(de)'])
      expect(readTo(content + rest, rule) ?? Infinity).toBeGreaterThan(content.length)
  })
})

test('a class that a late body adds is seen', () => {
  const text = `<body>${PRICE}<p class=price>2</p><script>x</script>${REST}<body class=late>`
  const { early } = bothReadings(text, 'css', { it: '.late .price' })
  expect(early).toEqual([['it', '1 €']])
})

test('an element that comes to stand before a match is the first one', () => {
  const text = '<body><table><tr><td><i class=price>2</i></td></tr><i class=price>1</i></table>'
  expect(bothReadings(text, 'css', { it: '.price' }).early).toEqual([['it', '1']])
})

test('the limit of tags holds for all of the page, whatever is found first', () => {
  const config = { method: 'css', fields: { it: '.price' } } as const
  const of = (count: number) => html(pageOf(PRICE, '<i></i>'.repeat(count)))
  expect(faultCode(extract(of(EXTRACT_LIMITS.tags), config))).toBe('too_complex')
  expect(extract(of(EXTRACT_LIMITS.tags - 10), config)).toMatchObject({ values: { it: '1 €' } })
})

/** Returns the processor time of reading a page for a rule, in part and as a whole: the least of rounds in turns. */
function costs(text: string, method: Method, fields: Readonly<Record<string, string>>) {
  const compiled = compileRules({ method, fields })
  if (compiled.method !== method) throw new TypeError('other rules')
  const timeOf = (sought: Sought | null): number => {
    const before = process.threadCpuUsage()
    const tree = parseHtml(text, sought)
    if (tree.kind !== 'too_complex') fieldsOnTree(compiled, tree, [])
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1_000
  }
  const least = { early: Infinity, whole: Infinity }
  for (let round = 0; round < 3; round += 1) {
    least.whole = Math.min(least.whole, timeOf(null))
    least.early = Math.min(least.early, timeOf(firstMatches(compiled)))
  }
  return least
}

const ITEMS = `<ul>${'<li>x</li>'.repeat(4_000)}</ul>`
const DEEP = `<i class=a></i>${'<div>'.repeat(36)}${'<span>x</span>'.repeat(60)}`
const MANY = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`f${at}`, `.price b[f${at}], #x + b`]))

test.each<[what: string, text: string, method: Method, fields: Readonly<Record<string, string>>]>([
  ...['<p class=price><b>', '<html class=price>', '<table class=price>', '</p><p class=price>', '<b id=x>x</p>'].map(
    (unit) =>
      [unit, unit.repeat(Math.floor(20_000 / unit.length)), 'css', MANY] as [string, string, 'css', typeof MANY],
  ),
  ['a late sibling', ITEMS, 'css', { it: 'li:nth-of-type(4000)' }],
  ['no sibling before', ITEMS, 'css', { it: 'h1 ~ li' }],
  ['ancestors of ancestors', DEEP, 'css', { it: '.a div div div span' }],
  [
    'an open match in a deep tree',
    `<section class=p>${'<div>'.repeat(450)}${'<i>x</i>'.repeat(20_000)}`,
    'css',
    { it: '.p' },
  ],
  ['no sibling before, as a path', ITEMS, 'xpath', { it: '//li[preceding-sibling::h1]' }],
  ['no ancestor, as a path', DEEP, 'xpath', { it: '//span[ancestor::div[@x]]' }],
  ['no match, as a path', ITEMS, 'xpath', { it: '//*[name() = "q"]' }],
])('a page that is hostile to looking costs about as much as it does as a whole: %s', (_what, text, method, fields) => {
  const { early, whole } = costs(text, method, fields)
  expect(early).toBeLessThan(whole * 1.5 + 30)
})
