import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Browsers } from '../../../runners/browser/browsers.ts'
import { startWatching, type Watching } from '../../support/api/watching.ts'
import { testBrowsers } from '../../support/browser/test-browsers.ts'
import { forgetRendering } from '../../support/database/check-states.ts'

// Each waits for several pages to be rendered.
vi.setConfig({ testTimeout: 180_000 })

const PROSE = 'There is enough to read here before any script has run. '.repeat(20)
/** A page that can be read as it came. Its script writes the price when it has loaded; null: it writes nothing. */
const page = (price: string | null) =>
  `<!doctype html><title>Shop</title><h1>Kettle</h1><p>${PROSE}</p><div id="box"></div>
   <script>
     addEventListener('load', () => {
       if (${JSON.stringify(price)}) document.getElementById('box').innerHTML = '<b class="price">${price}</b>'
     })
   </script>`
const asSent = (price: string) => page(null).replace('<div id="box">', `<b class="price">${price}</b><div id="box">`)

/** Not due again when the clock is set days ahead. */
const RULES = {
  extract_config: { method: 'css', fields: { title: 'h1', price: '.price' } },
  schedule_interval_seconds: 2_592_000,
}
const XPATH = { ...RULES, extract_config: { method: 'xpath', fields: { title: '//h1', price: '//b[@class="price"]' } } }

interface Run {
  readonly fetch_method: string | null
  readonly fetch_reason: string | null
  readonly extracted: object
  readonly diff: object
  readonly warnings: readonly string[]
}
const layered = (run: unknown) => run as Run

describe('a rule without a match on a page that has scripts', () => {
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
  const later = async (days: number, work: () => Promise<void>) => {
    const setDays = async (count: number) => {
      await watching.setClock(count * 86_400)
      // As each process that renders says within a minute.
      await watching.served.api.sql('update installation set rendered_at = clock()')
    }
    try {
      await setDays(days)
      await work()
    } finally {
      await setDays(0)
    }
  }

  test.each([
    ['css', RULES],
    ['xpath', XPATH],
  ])('is tried on the rendered page before it is null, by %s', async (_method, rules) => {
    const watched = await watching.watch(page('7'), rules)
    const found = { fetch_method: 'browser', fetch_reason: 'no_match', extracted: { title: 'Kettle', price: '7' } }
    expect(layered(watched.baseline)).toMatchObject(found)
    const before = watched.requests.length
    expect(layered(await watched.run())).toMatchObject({ ...found, diff: {} })
    expect(watched.requests.length - before).toBe(1)
  })

  test('is null where the rendered page has none either, and is not rendered again', async () => {
    const watched = await watching.watch(page(null), RULES)
    const none = { fetch_method: 'static', fetch_reason: null, extracted: { title: 'Kettle', price: null } }
    expect(layered(watched.baseline)).toMatchObject(none)
    await later(3, async () => {
      watched.set(page(null).replace('Shop', 'Other shop'))
      const before = watched.requests.length
      expect(layered(await watched.run())).toMatchObject({ ...none, diff: {} })
      expect(watched.requests.length - before).toBe(1)
    })
  })

  test('is tried again with another configuration', async () => {
    const watched = await watching.watch(page('7').replaceAll('class="price"', 'class="cost"'), RULES)
    expect(layered(watched.baseline)).toMatchObject({ fetch_method: 'static', extracted: { price: null } })
    const edited = { extract_config: { method: 'css', fields: { title: 'h1', price: '.cost' } } }
    expect((await watching.served.me.patch(`/v1/monitors/${watched.id}`, edited)).status).toBe(200)
    expect(layered(await watched.run())).toMatchObject({ fetch_method: 'browser', extracted: { price: '7' } })
  })

  test('that had a value is rendered before the value is lost, at most once a day', async () => {
    const watched = await watching.watch(asSent('7'), RULES)
    expect(layered(watched.baseline)).toMatchObject({ fetch_method: 'static', extracted: { price: '7' } })
    // A script writes it now: nothing has changed for a reader.
    watched.set(page('7'))
    expect(layered(await watched.run())).toMatchObject({ fetch_method: 'browser', extracted: { price: '7' }, diff: {} })
    // The page sends it again, and then nothing has it.
    await later(2, async () => {
      watched.set(asSent('7'))
      await watched.run()
      expect(layered(await watched.run())).toMatchObject({ fetch_method: 'static', diff: {} })
      watched.set(page(null))
      const lost = { fetch_method: 'static', diff: { before: { price: '7' }, after: { price: null } } }
      const before = watched.requests.length
      expect(layered(await watched.run())).toMatchObject(lost)
      // As sent; then by the browser, and as sent beside it.
      expect(watched.requests.length - before).toBe(3)
      watched.set(asSent('8'))
      await watched.run()
      watched.set(page(null).replace('Shop', 'Other shop'))
      const again = watched.requests.length
      expect(layered(await watched.run())).toMatchObject({ fetch_method: 'static', extracted: { price: null } })
      expect(watched.requests.length - again).toBe(1)
    })
  })

  test('of a monitor that was read as sent until now is a silent baseline; what changes after it is sent', async () => {
    const deliveries = [{ type: 'webhook', url: 'https://receiver.example/hook' }]
    const watched = await watching.watch(page('7').replace(/<script>.*<\/script>/s, ''), { ...RULES, deliveries })
    expect(layered(watched.baseline)).toMatchObject({ fetch_method: 'static', extracted: { price: null } })
    // As an earlier version left it: it never rendered a page for what is missing.
    await forgetRendering(watching.served.api, watched.id)
    watched.set(page('7'))
    const silent = { diff: {}, fired: false, delivery_triggered: false }
    expect(layered(await watched.run())).toMatchObject({
      fetch_method: 'browser',
      extracted: { price: '7' },
      ...silent,
    })
    watched.set(page('8'))
    const changed = { diff: { before: { price: '7' }, after: { price: '8' } }, fired: true, delivery_triggered: true }
    expect(layered(await watched.run())).toMatchObject({ fetch_method: 'browser', ...changed })
  })

  test('is null with a warning where a request_config says how to fetch, or the page has no scripts', async () => {
    const direct = await watching.watch(page('7'), { ...RULES, request_config: {} })
    const unmatched = {
      fetch_method: 'static',
      extracted: { price: null },
      warnings: [expect.stringContaining('The field "price" has no match on the page')],
    }
    expect(layered(direct.baseline)).toMatchObject(unmatched)
    const plain = await watching.watch(page('7').replace(/<script>.*<\/script>/s, ''), RULES)
    expect(layered(plain.baseline)).toMatchObject(unmatched)
    expect(plain.requests).toHaveLength(1)
  })
})

describe('a rule without a match where nobody renders pages', () => {
  let watching: Watching
  beforeAll(async () => {
    watching = await startWatching()
  })
  afterAll(() => watching.close())

  test('is null at once, with a warning', async () => {
    // The worker of the tests asks for all checks, and says so with its first claim.
    await watching.watch(page('7').replace(/<script>.*<\/script>/s, ''), RULES)
    await watching.served.api.sql('update installation set rendered_at = null')
    const watched = await watching.watch(page('7'), RULES)
    const { fetch_method: method, extracted, warnings } = layered(watched.baseline)
    expect([method, extracted]).toEqual(['static', { title: 'Kettle', price: null }])
    expect(warnings).toEqual([expect.stringContaining('The field "price" has no match on the page')])
  })
})
