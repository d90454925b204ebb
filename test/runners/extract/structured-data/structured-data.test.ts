import { describe, expect, test } from 'vitest'
import { extract } from '../../../../runners/extract/extract.ts'
import { faultCode, html, json, page, values } from '../pages.ts'
import { extractStructured, jsonLd, meta, structured } from './structured-pages.ts'

describe('JSON-LD', () => {
  test('is the list of what all blocks state, in the order of the page', () => {
    const body = jsonLd({ '@type': 'A' }) + jsonLd([{ '@type': 'B' }, { '@type': 'C' }])
    expect(structured(body, "$.json_ld[*]['@type']").it).toEqual(['A', 'B', 'C'])
  })

  test.each([
    ['a comma before a closing bracket', '{"a":[1,2,],}'],
    ['comments', '/* x */ {"a": [1, // one\n2]}'],
    ['the marks of XML around it', '\n<![CDATA[\n{"a":[1,2]}\n]]>\n'],
    ['a comment of HTML around it', '<!-- {"a":[1,2]} -->'],
    ['a semicolon behind it', '{"a":[1,2]};'],
  ])('is read with %s', (_, text) => {
    expect(structured(jsonLd(text), '$.json_ld[0].a')).toEqual({ it: [1, 2], warnings: [] })
  })

  test('keeps line ends inside texts, and what looks like a comment there', () => {
    expect(structured(jsonLd('{"a":"one\ntwo // three, }",}'), '$.json_ld[0].a').it).toBe('one\ntwo // three, }')
  })

  test('is left out with a warning where it is not JSON, and the other blocks are read', () => {
    const body = jsonLd('{"a":') + jsonLd({ a: 2 })
    expect(structured(body, '$.json_ld[*].a')).toEqual({
      it: [2],
      warnings: ['Block 1 of JSON-LD is not JSON and was left out.'],
    })
  })

  test('keeps numbers that no double has', () => {
    expect(structured(jsonLd('{"id":12345678901234567890}'), '$.json_ld[0].id').it).toBe('12345678901234567890')
  })
})

describe('Microdata', () => {
  const ITEM = `<base href="/shop/"><div itemscope itemtype="https://schema.org/Product" itemid="urn:k9" itemref="more">
    <h1 itemprop="name">Kettle <b>K-9</b><script>x</script></h1>
    <a itemprop="url" href="k9">here</a><img itemprop="image" src="//cdn.example/a.png">
    <span itemprop="price" content="19.90">€ 19,90</span><time itemprop="a" datetime="2026-05-01">May</time>
    <time itemprop="b">June</time><data itemprop="c" value="7">seven</data><meta itemprop="d" content=" e ">
    <p itemprop="color size">red</p><p itemprop="color">blue</p>
    <div itemprop="brand" itemscope itemtype="A B"><i itemprop="name">Brand</i></div></div>
    <p id="more"><i itemprop="sku">K-9</i></p>`

  test('has each property as HTML defines it for its element', () => {
    expect(structured(ITEM, '$.microdata[0]').it).toEqual({
      type: 'https://schema.org/Product',
      id: 'urn:k9',
      properties: {
        name: 'Kettle K-9',
        url: 'http://page.example/shop/k9',
        image: 'http://cdn.example/a.png',
        price: '19.90',
        a: '2026-05-01',
        b: 'June',
        c: '7',
        d: 'e',
        color: ['red', 'blue'],
        size: 'red',
        brand: { type: ['A', 'B'], properties: { name: 'Brand' } },
        sku: 'K-9',
      },
    })
  })

  test('has an item of another one once, in it', () => {
    expect(structured(ITEM, '$.microdata[*].type').it).toEqual(['https://schema.org/Product'])
    const lone = '<div itemprop="offers" itemscope><i itemprop="price">1</i></div>'
    expect(structured(lone, '$.microdata[*].properties.price').it).toEqual(['1'])
  })
})

describe('Open Graph and meta elements', () => {
  const HEAD = `${meta({ 'og:title': ' Kettle ', 'og:image': 'a.png' })}<meta property="og:image" content="b.png">
    <meta name="Description" content="Boils"><meta name="empty">`

  test('give a text by its name, and a list where a name stands several times', () => {
    expect(structured(HEAD, '$.open_graph').it).toEqual({ 'og:title': 'Kettle', 'og:image': ['a.png', 'b.png'] })
    expect(structured(HEAD, '$.meta').it).toEqual({ description: 'Boils' })
    expect(structured(HEAD, "$.open_graph['og:title']").it).toBe('Kettle')
  })
})

describe('Scripts with JSON', () => {
  const BODY = `<script id="__NEXT_DATA__" type="application/json">{"props":{"stock":3}}</script>
    <script id="a-b" type="application/vnd.x+json">[1]</script><script type="application/json">{}</script>
    <script id="code">var a = {}</script><script id="bad" type="application/json">{</script>`

  test('are found by their ids', () => {
    expect(structured(BODY, '$.scripts.__NEXT_DATA__.props.stock')).toEqual({ it: 3, warnings: [] })
    expect(structured(BODY, "$.scripts['a-b'][0]")).toEqual({ it: 1, warnings: [] })
    expect(structured(BODY.replace('a-b', 'a\u00e9'), '$.scripts.a\u00e9[0]').it).toBe(1)
    expect(structured(BODY, '$.scripts')).toEqual({
      it: { __NEXT_DATA__: { props: { stock: 3 } }, 'a-b': [1] },
      warnings: ['The script "bad" is not JSON and was left out.'],
    })
  })

  test('give the first of several with one id, and a warning', () => {
    const twice = BODY + BODY.replace('3', '4')
    expect(structured(twice, '$.scripts.__NEXT_DATA__.props.stock')).toEqual({
      it: 3,
      warnings: ['Several scripts have the id "__NEXT_DATA__"; the first was read.'],
    })
  })
})

describe('Articles and events', () => {
  test('are the first that the page states', () => {
    const article = {
      '@type': ['NewsArticle', 'X'],
      headline: 'Tide',
      datePublished: '2026-05-01',
      author: [{ '@type': 'Person', name: 'A' }, 'B'],
      publisher: { name: 'Paper' },
    }
    expect(structured(jsonLd({ '@graph': [{ '@type': 'WebSite' }, article] }), '$.article').it).toEqual({
      headline: 'Tide',
      description: null,
      published: '2026-05-01',
      modified: null,
      authors: ['A', 'B'],
      section: null,
      publisher: 'Paper',
    })
    const og = meta({ 'og:type': 'article', 'og:title': 'T', 'article:published_time': '2026-05-02' })
    expect(structured(og, '$.article.published').it).toBe('2026-05-02')
    expect(structured('<p>', '$.article').it).toBeNull()
  })

  test('of an event have where it is, its status and its offers', () => {
    const event = {
      '@type': 'MusicEvent',
      name: 'Concert',
      startDate: '2026-05-01T20:00',
      eventStatus: 'https://schema.org/EventCancelled',
      location: { '@type': 'Place', name: 'Hall' },
      offers: { '@type': 'Offer', price: 12, availability: 'SoldOut' },
    }
    expect(structured(jsonLd(event), '$.event').it).toMatchObject({
      ...{ name: 'Concert', start: '2026-05-01T20:00', end: null, status: 'EventCancelled', location: 'Hall' },
      offers: [{ price: '12', availability: 'SoldOut' }],
    })
  })
})

describe('A page that is read as structured data', () => {
  test('gives null, or an empty list, where it states nothing', () => {
    const read = extractStructured('<p>Hello', { price: '$.product.price', all: '$.json_ld[*]', no: '$.other' })
    expect(read).toMatchObject({ ok: true, values: { price: null, all: [], no: null }, warnings: [] })
  })

  test('fails with wrong_type where the answer is JSON, and says what to do', () => {
    const read = extractStructured('', { it: '$' }, json({ a: 1 }))
    expect(faultCode(read)).toBe('wrong_type')
    expect(read).toMatchObject({ fault: { message: expect.stringContaining('Remove read_as') } })
    expect(faultCode(extractStructured('', { it: '$' }, page('%PDF', 'application/pdf')))).toBe('wrong_type')
  })

  test('may be XHTML', () => {
    const body = `<html xmlns="http://www.w3.org/1999/xhtml"><meta property="og:title" content="T"/></html>`
    const read = extractStructured('', { it: '$.open_graph' }, page(body, 'application/xhtml+xml'))
    expect(values(read)).toEqual({ it: { 'og:title': 'T' } })
  })

  test('has its parts at the root for filters that compare them', () => {
    const body = jsonLd([
      { '@type': 'Product', name: 'A', sku: '1' },
      { '@type': 'B', sku: '1', n: 2 },
    ])
    expect(structured(body, '$.json_ld[?@.sku == $.product.sku].n').it).toEqual([2])
    expect(structured(body, '$..n').it).toEqual([2])
  })

  test('is JSON without the key', () => {
    expect(faultCode(extract(html(jsonLd({})), { method: 'json_path', fields: { it: '$' } }))).toBe('wrong_type')
  })

  test('says whether scripts may write what is missing', () => {
    expect(extractStructured('<script src=a.js></script>', { it: '$.product.price' })).toMatchObject({
      scripts: 'some',
    })
  })
})
