import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Browsers } from '../../../runners/browser/browsers.ts'
import { faultsOf } from '../../support/api/monitor-requests.ts'
import { startWatching, type Watching } from '../../support/api/watching.ts'
import { testBrowsers } from '../../support/browser/test-browsers.ts'

// A browser starts.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 })

const PROSE = 'There is enough to read here before any script has run. '.repeat(20)
const product = (price: string) => JSON.stringify({ '@type': 'Product', name: 'Lamp', offers: { price } })
const page = (price: string, more = '') =>
  `<!doctype html><title>Lamp</title><script type="application/ld+json">${product(price)}</script>${more}<p>${PROSE}`
/** A page whose script states the price when it has loaded. */
const late = (price: string) =>
  `<!doctype html><title>Lamp</title><p>${PROSE}</p><script>addEventListener('load', () => {
     const data = document.createElement('script')
     data.type = 'application/ld+json'
     data.textContent = ${JSON.stringify(product(price))}
     document.head.append(data)
   })</script>`

const extract_config = { method: 'json_path', read_as: 'structured_data', fields: { price: '$.product.price' } }
const PRICE = { extract_config, schedule_interval_seconds: 2_592_000 }

interface Run {
  readonly fetch_method: string | null
  readonly fetch_reason: string | null
  readonly extracted: object
  readonly diff: object
  readonly fired: boolean | null
  readonly warnings: readonly string[]
}
const seen = (run: unknown) => run as Run

describe('read_as structured_data', () => {
  let browsers: Browsers
  let watching: Watching
  beforeAll(async () => {
    browsers = testBrowsers()
    watching = await startWatching({ browsers })
  })
  afterAll(async () => {
    await watching.close()
    await browsers.close()
  })

  test('reads what a page states, and fires when that differs', async () => {
    const watched = await watching.watch(page('19.90'), PRICE)
    expect(seen(watched.baseline)).toMatchObject({ fetch_method: 'static', extracted: { price: '19.90' } })
    watched.set(page('18.00'))
    expect(seen(await watched.run())).toMatchObject({
      fired: true,
      diff: { before: { price: '19.90' }, after: { price: '18.00' } },
    })
  })

  test('reads the page as a browser renders it', async () => {
    const watched = await watching.watch(late('7'), { ...PRICE, fetch_mode: 'browser' })
    expect(seen(watched.baseline)).toMatchObject({ fetch_method: 'browser', extracted: { price: '7' } })
  })

  test('is tried on the rendered page before a field is null', async () => {
    const watched = await watching.watch(late('7'), PRICE)
    expect(seen(watched.baseline)).toMatchObject({
      ...{ fetch_method: 'browser', fetch_reason: 'no_match', extracted: { price: '7' } },
    })
  })

  test('warns where the page contradicts itself', async () => {
    const watched = await watching.watch(page('5', '<meta property="og:price:amount" content="6">'), PRICE)
    expect(seen(watched.baseline)).toMatchObject({
      extracted: { price: '5' },
      warnings: [expect.stringContaining('contradicts itself about the price')],
    })
  })

  test('makes the next run a silent baseline when it is set or removed', async () => {
    const watched = await watching.watch(
      { product: { price: '1' } },
      { extract_config: { ...extract_config, read_as: undefined } },
    )
    expect(seen(watched.baseline)).toMatchObject({ extracted: { price: '1' } })
    const path = `/v1/monitors/${watched.id}`
    expect(await watching.served.me.patch(path, { extract_config })).toMatchObject({
      status: 200,
      body: { extract_config },
    })
    watched.set(page('19.90'))
    expect(seen(await watched.run())).toMatchObject({ fired: false, diff: {}, extracted: { price: '19.90' } })
    watched.set(page('18'))
    expect(seen(await watched.run())).toMatchObject({ fired: true })
  })

  test.each([
    ['another method', { method: 'css', fields: { a: 'b' }, read_as: 'structured_data' }],
    ['xpath', { method: 'xpath', fields: { a: '//b' }, read_as: 'structured_data' }],
    ['a whole page', { method: 'full_page', read_as: 'structured_data' }],
    ['another value', { ...extract_config, read_as: 'feed' }],
    ['null', { ...extract_config, read_as: null }],
  ])('is refused with %s, by its path', async (_, config) => {
    expect(await faultsOf(watching.served.me, { extract_config: config })).toEqual(['extract_config.read_as'])
  })
})
