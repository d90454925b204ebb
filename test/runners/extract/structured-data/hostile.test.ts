import { afterAll, describe, expect, test } from 'vitest'
import { createExtractor } from '../../../../runners/extract/pool/extractor.ts'
import { html, values } from '../pages.ts'
import { extractStructured, jsonLd, structured } from './structured-pages.ts'

const PRODUCT = { '@type': 'Product', name: 'Kettle', offers: { price: 5 } }

describe('A hostile page', () => {
  const extractor = createExtractor()
  afterAll(() => extractor.close())

  test.each<[string, string, RegExp]>([
    ['5,000 blocks of JSON-LD', jsonLd(PRODUCT).repeat(5_000), /^The page has 5,000 blocks of JSON-LD; the first 500/],
    [
      'JSON-LD that nests deeply',
      jsonLd(PRODUCT) + jsonLd(`{"a":${'['.repeat(100_000)}`),
      /^Block 2 of JSON-LD was left out\. The JSON nests more than 200 deep/,
    ],
    [
      'more values than are read',
      jsonLd(PRODUCT) + jsonLd(`[${'1,'.repeat(300_000)}1]`),
      /^Block 2 of JSON-LD was left out\. The JSON has more than 200,000 values/,
    ],
    [
      'more values than are read in all blocks',
      jsonLd(PRODUCT) + jsonLd(`[${'1,'.repeat(90_000)}1]`).repeat(3),
      /^Block 4 of JSON-LD was left out\. The scripts of the page have more than 200,000 values/,
    ],
    [
      'items that refer to themselves',
      `${jsonLd(PRODUCT)}<p itemscope itemref="a"></p><p id="a" itemprop="x" itemscope itemref="a b"></p>
        <p id="b" itemprop="y" itemscope itemref="a"></p>`,
      /part of itself through itemref/,
    ],
    [
      'items that refer to each other a million times',
      jsonLd(PRODUCT) +
        Array.from(
          { length: 40 },
          (_, at) => `<p id="a${at}" itemprop="x" itemscope itemref="a${at + 1} b${at + 1}"></p>
          <p id="b${at}" itemprop="x" itemscope itemref="a${at + 1} b${at + 1}"></p>`,
        ).join(''),
      /more microdata than is read/,
    ],
    [
      'properties that repeat a long text',
      `${jsonLd(PRODUCT)}<p itemscope>${'<b itemprop="x">'.repeat(200)}${'text '.repeat(20_000)}`,
      /more microdata than is read/,
    ],
  ])('with %s gives what is within the limits, and a warning', async (_, body, warning) => {
    const config = { method: 'json_path', read_as: 'structured_data', fields: { it: '$.product.price' } } as const
    const read = await extractor.extract(html(body), config, { timeoutMs: 5_000 })
    expect(values(read)).toEqual({ it: '5' })
    expect(read).toMatchObject({ warnings: expect.arrayContaining([expect.stringMatching(warning)]) })
  })

  test('with a fault in each block has few warnings', () => {
    expect(structured(jsonLd('{').repeat(400), '$.json_ld').warnings).toEqual([
      ...[1, 2, 3].map((number) => `Block ${number} of JSON-LD is not JSON and was left out.`),
      'The same is so of 397 more.',
    ])
  })

  test('with names of the prototype changes no other object', () => {
    const name = '__proto__'
    const body = `${jsonLd(`{"${name}":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}`)}
      <meta property="${name}" content="x"><meta name="${name}" content="x">
      <script type="application/json" id="${name}">{"polluted":1}</script>
      <p itemscope itemtype="${name}"><b itemprop="${name}">x</b><b itemprop="constructor">y</b></p>`
    expect(structured(body, '$.microdata[0].properties.constructor').it).toBe('y')
    expect(structured(body, `$.scripts['${name}'].polluted`).it).toBe(1)
    expect(structured(body, `$.open_graph.${name}`).it).toBe('x')
    expect(structured('<p>', '$.product.constructor').it).toBeNull()
    expect(structured(body, '$').warnings).toEqual([])
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  test('of 3 MB that look like comments is read in time that grows with its size', async () => {
    for (const part of ['/*', '/* ', '<!--', '//', ',', ' , ', '"\\', '<', '{"a":']) {
      const body = jsonLd(part.repeat(3_000_000 / part.length)) + jsonLd(PRODUCT)
      const config = { method: 'json_path', read_as: 'structured_data', fields: { it: '$.product.price' } } as const
      const read = await extractor.extract(html(body), config, { timeoutMs: 5_000 })
      expect(read.ok ? read.values : read.fault.code, part).toEqual({ it: '5' })
    }
  })

  test('with more offers than are read says so', () => {
    const offers = Array.from({ length: 600 }, (_, price) => ({ price: price + 1 }))
    const read = extractStructured(jsonLd({ ...PRODUCT, offers }), { it: '$.product.offers[*].price' })
    expect(values(read)['it']).toHaveLength(500)
    expect(read).toMatchObject({ warnings: ['The product has more than 500 offers; the rest was left out.'] })
  })
})
