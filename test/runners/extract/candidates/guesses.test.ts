import { beforeAll, describe, expect, test } from 'vitest'
import type { Guess } from '../../../../runners/extract/candidates/guesses/guess.ts'
import { guessesOf } from '../../../../runners/extract/candidates/guesses/guesses.ts'
import { extract } from '../../../../runners/extract/extract.ts'
import type { Page } from '../../../../runners/extract/page.ts'
import { loadStructuredData } from '../../../../runners/extract/structured-data/load.ts'
import { html, json, page, values, xml } from '../pages.ts'

beforeAll(loadStructuredData)

function guessed(given: Page): readonly Guess[] {
  const guesses = guessesOf(given)
  if ('ok' in guesses) throw new Error(guesses.fault.message)
  for (const { extract_config: config, values: shown } of guesses)
    if (shown !== null) expect(values(extract(given, config))).toEqual(shown)
  return guesses
}

const best = (given: Page) => guessed(given)[0]
const document = (body: string) => html(`<!doctype html><title>Kettle</title><body>${body}`)
const SHIPPING = '<p>Shipping: <span class=cost>$4.50</span></p>'

describe('the guesses of a page', () => {
  test.each([
    ['JSON-LD', '<script type="application/ld+json">{"@type":"Product","offers":[{"price":"19.99"}]}</script>'],
    ['Open Graph', '<meta property="og:price:amount" content="19.99">'],
    ['microdata', '<meta itemprop=price content="19.99">'],
  ])('begin with the price that the page states as %s and shows', (_what, stated) => {
    expect(best(document(`${SHIPPING}${stated}<p class=now>$19.99</p>`))).toMatchObject({
      kind: 'price',
      label: 'price $19.99',
      extract_config: { method: 'css', fields: { price: '.now' } },
      values: { price: '$19.99' },
      diff_predicate: { type: 'field_decreases_by_percent', field: 'price' },
    })
  })

  test('take what is named a price where the page states none, and not the one before', () => {
    const body = '<del class=price>$25.00</del><p>up to $3 million</p><b class=price-now>$19.99</b>'
    expect(best(document(body))).toMatchObject({ label: 'price $19.99', values: { price: '$19.99' } })
  })

  test('read a price that the page states and does not show', () => {
    const stated = '<script type="application/ld+json">{"offers":{"price":19.9}}</script>'
    expect(best(document(`<p>text</p>${stated}`))).toMatchObject({
      kind: 'price',
      label: 'price 19.9, as the page states it for search engines',
      extract_config: { method: 'json_path', read_as: 'structured_data' },
      values: { price: '19.9', currency: null, availability: null },
    })
  })

  test.each([
    ['Latest release: v24.21.0 (LTS)', 'version v24.21.0'],
    ['2.4.1-rc.2', 'version 2.4.1-rc.2'],
    ['Version 3.1', 'version 3.1'],
  ])('find the version in %s', (text, label) => {
    expect(best(document(`<p>Since 2019</p><h2>${text}</h2>`))).toMatchObject({ kind: 'version', label })
  })

  test.each(['31.12.2025', '192.168.0.1', 'Price 1.50 €', '4.5 of 5', 'Chapter 1.2'])(
    'find no version in %s',
    (text) => {
      expect(guessed(document(`<h2>${text}</h2>`)).map(({ kind }) => kind)).not.toContain('version')
    },
  )

  test('have the largest list by the titles of its items, and not the menu', () => {
    const item = (n: number) => `<article><h3><a href="/${n}">A title of item ${n}</a></h3><p>Some text</p></article>`
    const menu = `<nav>${'<a href="/m">A long entry of the menu</a>'.repeat(30)}</nav>`
    const items = Array.from({ length: 24 }, (_, n) => item(n)).join('')
    expect(best(document(`${menu}<main>${items}</main>`))).toMatchObject({
      kind: 'list',
      label: '24 items of a list: A title of item 0',
      diff_predicate: { type: 'list_gains_items', field: 'items' },
    })
  })

  test('have the rows of the largest table', () => {
    const rows = Array.from({ length: 5 }, (_, n) => `<tr><td>Pot ${n}</td><td>${n}</td></tr>`).join('')
    expect(best(document(`<table id=stock>${rows}</table>`))).toMatchObject({ kind: 'table', label: 'table of 5 rows' })
  })

  test('have the feeds that the page names, with their addresses and without values', () => {
    const link = '<link rel="alternate" type="application/rss+xml" title="News" href="feed.xml">'
    const hostile = '<link rel=alternate type="application/rss+xml" href="javascript:alert(1)">'
    const feeds = guessed(document(`<p>x</p>${hostile}${link}${link}`)).filter(({ kind }) => kind === 'feed')
    expect(feeds).toMatchObject([{ label: 'feed News', address: 'http://page.example/feed.xml', values: null }])
  })

  test('end with the text of the whole page', () => {
    const last = guessed(document(SHIPPING)).at(-1)
    expect(last).toMatchObject({ kind: 'page', extract_config: { method: 'full_page', ignore: {} } })
  })
})

describe('the guesses of a document', () => {
  test('that is a feed name its items', () => {
    const feed =
      '<rss><channel><item><title>A</title><link>/a</link></item><item><title>B</title></item></channel></rss>'
    expect(best(xml(feed))).toMatchObject({
      kind: 'feed',
      label: 'feed with 2 items',
      values: { titles: ['A', 'B'] },
      diff_predicate: { type: 'list_gains_items', field: 'ids' },
    })
    const jsonFeed = { version: 'https://jsonfeed.org/version/1.1', items: [{ id: '1', title: 'A' }] }
    expect(best(json(jsonFeed))).toMatchObject({ kind: 'feed', values: { ids: ['1'], titles: ['A'] } })
  })

  test('that is JSON take values by their names, and the longest list', () => {
    const answer = {
      data: { 'last price': 1, price: '19.99' },
      tag_name: 'v1.2.0',
      jobs: [{ title: 'Baker' }, { title: 'Pilot' }],
    }
    expect(guessed(json(answer)).map(({ kind, label, extract_config }) => [kind, label, extract_config])).toEqual([
      ['price', 'price 19.99', { method: 'json_path', fields: { price: '$.data.price' } }],
      ['version', 'version v1.2.0', { method: 'json_path', fields: { version: '$.tag_name' } }],
      ['list', '2 items of a list', { method: 'json_path', fields: { items: '$.jobs[*].title' } }],
      ['json', 'the whole JSON answer', { method: 'json_path', fields: { value: '$' } }],
      ['page', 'the text of the whole page', { method: 'full_page', ignore: {} }],
    ])
  })

  test('that is an image, a text or empty are what can be read of it', () => {
    expect(guessed(page('PNG', 'image/png'))).toMatchObject([{ label: 'the whole answer' }])
    expect(guessed(page('a text', 'text/plain'))).toMatchObject([{ label: 'the text of the whole page' }])
    expect(guessesOf(page(' ', 'text/html'))).toMatchObject({ ok: false, fault: { code: 'empty_body' } })
  })
})
