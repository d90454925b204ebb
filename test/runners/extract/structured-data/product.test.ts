import { describe, expect, test } from 'vitest'
import { jsonLd, meta, structured } from './structured-pages.ts'

const OFFER = { '@type': 'Offer', price: '19.90', priceCurrency: 'EUR', availability: 'https://schema.org/InStock' }
const KETTLE = { '@type': 'Product', name: 'Kettle', offers: OFFER }
const product = (body: string) => structured(body, '$.product')
const microdata = (name: string, price: string) =>
  `<div itemscope itemtype="http://schema.org/Product"><b itemprop="name">${name}</b><i itemprop="offers" itemscope
    itemtype="http://schema.org/Offer"><meta itemprop="price" content="${price}"></i></div>`

describe('A product', () => {
  test('has what JSON-LD states, with the price as written and the last word of the availability', () => {
    const stated = {
      ...KETTLE,
      sku: 'K-9',
      brand: { '@type': 'Brand', name: 'Boil' },
      offers: { ...OFFER, sku: 'K-9-r' },
    }
    expect(product(jsonLd(stated))).toEqual({
      it: {
        name: 'Kettle',
        price: '19.90',
        price_low: '19.90',
        currency: 'EUR',
        availability: 'InStock',
        sku: 'K-9',
        brand: 'Boil',
        offers: [
          {
            ...{ price: '19.90', currency: 'EUR', availability: 'InStock', sku: 'K-9-r' },
            ...{ name: 'Kettle', url: null, seller: null },
          },
        ],
        conflict: [],
      },
      warnings: [],
    })
  })

  test.each([
    ['a number with a zero at its end', '{"@type":"Product","offers":{"price":19.90}}', '19.90'],
    ['a whole number', '{"@type":"Product","offers":{"price":1900}}', '1900'],
    ['a text with a currency', '{"@type":"Product","offers":{"price":"1.299,00 €"}}', '1.299,00 €'],
    ['a specification', '{"@type":"Product","offers":{"priceSpecification":{"price":5}}}', '5'],
    [
      'specifications, without the one that is struck through and the one per unit',
      `{"@type":"Product","offers":{"priceSpecification":[{"price":9,"priceType":"https://schema.org/ListPrice"},
        {"price":1,"referenceQuantity":{}},{"price":5}]}}`,
      '5',
    ],
    ['the first offer that has one', '{"@type":"Product","offers":[{"sku":"a"},{"price":7},{"price":6}]}', '7'],
    ['the lowest of many', '{"@type":"Product","offers":{"@type":"AggregateOffer","lowPrice":3,"highPrice":8}}', '3'],
    ['a name with the address of schema.org', '{"@type":"http://schema.org/Product","schema:offers":{"price":4}}', '4'],
    ['offers that it refers to', '{"@graph":[{"@type":"Product","offers":{"@id":"#o"}},{"@id":"#o","price":2}]}', '2'],
    ['the page it is on', '{"@type":"WebPage","mainEntity":{"@type":"Product","offers":{"price":8}}}', '8'],
  ])('has the price of %s', (_, text, price) => {
    expect(structured(jsonLd(text), '$.product.price').it).toBe(price)
  })

  test('has the lowest price beside the first, and all offers of variants', () => {
    const variant = (sku: string, price: number) => ({ '@type': 'Product', sku, offers: { ...OFFER, price } })
    const group = { '@type': 'ProductGroup', name: 'Shirt', hasVariant: [variant('m', 30), variant('s', 25)] }
    expect(product(jsonLd(group)).it).toMatchObject({
      ...{ name: 'Shirt', price: '30', price_low: '25' },
      offers: [{ sku: 'm' }, { sku: 's' }],
    })
  })

  test.each([
    ['http://schema.org/OutOfStock', 'OutOfStock'],
    ['schema:PreOrder', 'PreOrder'],
    ['https://schema.org/BackOrder/', 'BackOrder'],
    ['in stock', 'InStock'],
    ['instock', 'InStock'],
    ['oos', 'OutOfStock'],
    ['https://shop.example/Soon', 'Soon'],
  ])('with the availability %s is %s', (written, name) => {
    expect(
      structured(jsonLd({ ...KETTLE, offers: { ...OFFER, availability: written } }), '$.product.availability').it,
    ).toBe(name)
  })

  test('is what one source alone states', () => {
    expect(product(microdata('Kettle', '5.50')).it).toMatchObject({ name: 'Kettle', price: '5.50', currency: null })
    const graph = { 'og:title': 'Kettle', 'product:price:amount': '5.50', 'product:price:currency': 'EUR' }
    const stock = { 'product:availability': 'oos', 'product:retailer_item_id': 'K-9' }
    expect(product(meta({ ...graph, ...stock })).it).toMatchObject({
      ...{ name: 'Kettle', price: '5.50', price_low: '5.50', currency: 'EUR', availability: 'OutOfStock', sku: 'K-9' },
      offers: [],
    })
    expect(product('<p>').it).toBeNull()
  })

  test('has from the next source what the first does not say', () => {
    const body =
      jsonLd({ '@type': 'Product', name: 'Kettle' }) + meta({ 'og:price:amount': '7', 'product:brand': 'Boil' })
    expect(product(body)).toMatchObject({ it: { name: 'Kettle', price: '7', brand: 'Boil' }, warnings: [] })
  })

  test('is not one that another product names, or that stands beside it', () => {
    const related = { ...KETTLE, name: 'Cup', offers: { ...OFFER, price: '3' } }
    const own = jsonLd({ ...KETTLE, isRelatedTo: [related] }) + microdata('Plate', '4')
    expect(product(own)).toMatchObject({ it: { name: 'Kettle', price: '19.90', conflict: [] }, warnings: [] })
  })

  test('is the one that the title names, of several', () => {
    const body = microdata('Kettle', '3') + microdata('Plate', '4') + microdata('Kettle deluxe', '5')
    const titled = (title: string) => product(body + meta({ 'og:title': title }))
    expect(titled('Kettle deluxe | Hearth')).toMatchObject({ it: { price: '5' }, warnings: [] })
    expect(titled('Plate | Hearth')).toMatchObject({ it: { price: '4' }, warnings: [] })
    expect(titled('All we have')).toMatchObject({
      it: { price: '3' },
      warnings: ['The page states 3 products, and nothing says which one it is about: the first was read.'],
    })
  })

  test('is what is offered without the type of a product', () => {
    const offers = { '@type': 'Offer', price: 4 }
    for (const stated of [{ offers }, offers, { '@type': 'Course', offers: [offers] }])
      expect(product(jsonLd(stated))).toMatchObject({ it: { price: '4' }, warnings: [] })
    expect(product(jsonLd({ '@type': 'Event', offers })).it).toBeNull()
  })
})

describe('Sources that contradict each other', () => {
  test('are named in the conflict, and the run warns', () => {
    const body = jsonLd(KETTLE) + microdata('Kettle, red', '18') + meta({ 'og:price:amount': '21.00' })
    expect(product(body)).toMatchObject({
      it: {
        price: '19.90',
        conflict: [
          {
            field: 'price',
            stated: [
              { source: 'json_ld', value: '19.90' },
              { source: 'microdata', value: '18' },
              { source: 'open_graph', value: '21.00' },
            ],
          },
        ],
      },
      warnings: [
        'The page contradicts itself about the price of its product: 19.90 in JSON-LD, 18 in microdata, ' +
          '21.00 in Open Graph.',
      ],
    })
  })

  test.each([
    ['a price that is written in another way', { 'product:price:amount': '19,90 €' }, []],
    ['the same currency in small letters', { 'product:price:amount': '19.9', 'product:price:currency': 'eur' }, []],
    ['another currency', { 'product:price:currency': 'USD', 'product:price:amount': '19.9' }, ['currency']],
    ['a word for the same availability', { 'product:availability': 'instock' }, []],
    ['another one that can be bought now', { 'product:availability': 'LimitedAvailability' }, []],
    ['one that cannot be bought', { 'product:availability': 'oos' }, ['availability']],
    ['a price that is no number', { 'product:price:amount': 'on request' }, []],
  ])('are not those with %s', (_, properties, fields) => {
    expect(structured(jsonLd(KETTLE) + meta(properties), '$.product.conflict[*].field').it).toEqual(fields)
  })

  test('are two blocks about one product as well', () => {
    const body = jsonLd(KETTLE) + jsonLd({ ...KETTLE, offers: { ...OFFER, price: 25 } })
    expect(structured(body, '$.product.conflict[0].stated[*].source').it).toEqual(['json_ld', 'json_ld'])
  })

  test('are none where one names the price of one variant', () => {
    const body = jsonLd({ ...KETTLE, offers: [OFFER, { ...OFFER, price: 30 }] }) + meta({ 'og:price:amount': '25' })
    expect(product(body)).toMatchObject({ it: { conflict: [] }, warnings: [] })
  })

  test('are not looked for where no rule reads the product', () => {
    expect(structured(jsonLd(KETTLE) + meta({ 'og:price:amount': '21' }), '$.json_ld[0].name').warnings).toEqual([])
  })
})
