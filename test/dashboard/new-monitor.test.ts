import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { html } from '../support/network/site.ts'
import { eventually } from '../support/run/eventually.ts'
import { describeIf } from '../support/run/skip.ts'
import { openReceiver, reply } from '../support/worker/receiver.ts'
import { findingsOf } from './axe.ts'
import { type LookingDashboard, startLooking } from './looking.ts'
import { hasBrowser } from './open-dashboard.ts'

// A browser starts, and each look opens a page in it.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const ITEMS = ['Cup', 'Pot', 'Tea'].map((name) => `<li class="item"><a href="/${name}">${name}</a></li>`).join('')
const HOSTILE = '&lt;img src=x onerror=alert(1)&gt;'
/** The price stands in what is fetched, and the stock is written by a script. */
const SHOP = `<!doctype html><title>Shop</title><style>.bar { position: sticky; top: 0; background: #eee }</style>
  <div class="bar">Menu</div><h1>Kettle</h1><p class="offer"><b itemprop="price">$19.99</b></p>
  <p>${HOSTILE}</p><ul>${ITEMS}</ul><p id="stock"></p><canvas width="60" height="40"></canvas>
  <script>document.querySelector('#stock').textContent = '7 left'</script>`
const WALL = `<!doctype html><style>.wall { position: fixed; inset: 0; background: #fff }</style>
  <h1 style="margin: 100px">Behind it</h1><div class="wall" id="wall"><p>We use cookies</p></div>`

describeIf(hasBrowser, 'there is no embedded browser for this platform')('The screen for a new monitor', () => {
  let looking: LookingDashboard
  beforeAll(async () => {
    looking = await startLooking()
  })
  afterAll(() => looking[Symbol.asyncDispose]())

  const call = (method: 'GET' | 'POST', path: string, body?: object) =>
    looking.dashboard.api.call(looking.owner.api_key, method, path, body)
  const opened = (path = '/new', width = 1280) => looking.dashboard.open(path, looking.owner, { width })
  async function look(page: Page, url: string): Promise<void> {
    await page.getByLabel('Address').fill(url)
    await page.keyboard.press('Enter')
    const found = page.getByRole('region', { name: 'What', exact: true })
    await found.or(page.getByRole('alert')).first().waitFor()
    expect(await page.getByRole('alert').allInnerTexts()).toEqual([])
    await found.waitFor()
  }
  const valueOf = (page: Page) => page.locator('[aria-live=polite]').filter({ hasText: /\S/ })
  const shows = (page: Page, text: string) => valueOf(page).getByText(text, { exact: true }).first().waitFor()

  /** Saves, and returns the monitor with what its first run stored. */
  async function watched(page: Page) {
    await page.getByRole('button', { name: 'Watch it' }).click()
    await page.waitForURL(/\/monitors\/[\w-]+$/)
    const id = page.url().split('/').at(-1)
    const { body: monitor } = await call('GET', `/v1/monitors/${id}`)
    const { run_id: run } = (await call('POST', `/v1/monitors/${id}/run`)).body
    const { body } = await eventually(
      () => call('GET', `/v1/runs/${run}`),
      ({ body: { status } }) => status === 'success' || status === 'error',
    )
    return { monitor, stored: body['extracted'] as unknown }
  }

  /** Presses on the middle of an element of the look, in the picture. */
  async function press(page: Page, text: string) {
    const stage = page.getByRole('application')
    await stage.locator('img').evaluate((img) => (img as unknown as { decode(): Promise<void> }).decode())
    const find = page.getByRole('searchbox', { name: 'Find on the page' })
    await find.fill(text)
    await page.getByText('1 place', { exact: true }).waitFor()
    await page.keyboard.press('Enter')
    // The places that are listed move the picture.
    await find.fill('')
    const box = await stage.locator('[data-active]').boundingBox()
    return { x: (box?.x ?? 0) + (box?.width ?? 0) / 2, y: (box?.y ?? 0) + (box?.height ?? 0) / 2 }
  }

  test('leads from the list to a monitor whose run stores the value that was pointed at', async () => {
    const url = looking.site.page('/shop', SHOP)
    await call('POST', '/v1/monitors?paused=true', {
      url,
      name: 'First',
      extract_config: { method: 'full_page' },
      diff_predicate: { type: 'any_field_changes' },
      schedule_interval_seconds: 3600,
    })
    const { page, watched: seen } = await opened('/')
    await page.getByRole('gridcell').first().waitFor()
    await page.keyboard.press('n')
    await page.waitForURL(/\/new$/)
    await page.locator('#address:focus').waitFor()
    await page.keyboard.type(url)
    await page.keyboard.press('Enter')
    await page.getByRole('radio', { name: 'price $19.99', exact: true }).waitFor()
    expect(await page.getByRole('radio', { name: 'price $19.99', exact: true }).isChecked()).toBe(true)
    await shows(page, '$19.99')
    const price = await press(page, '$19.99')
    const kettle = await press(page, 'Kettle')
    await shows(page, 'Kettle')
    // By the pointer alone.
    await page.mouse.click(price.x, price.y)
    await shows(page, '$19.99')
    await page.mouse.click(kettle.x, kettle.y)
    await shows(page, 'Kettle')
    await page.mouse.move(price.x, price.y)
    await page.getByRole('application').getByText('b', { exact: true }).waitFor()
    await page.mouse.click(price.x, price.y)
    await shows(page, '$19.99')
    await page.getByText('the only element with itemprop=price').waitFor()
    await page.getByText('1 match', { exact: true }).waitFor()
    await page.getByLabel('Condition').selectOption('field_decreases_by_percent')
    await page.getByLabel('Amount').fill('5')
    await page.getByLabel('A next value').fill('$18.99')
    await page.getByText('Fires', { exact: true }).waitFor()
    await page.getByText('price fell from 19.99 to 18.99', { exact: false }).waitFor()
    await page.getByText('As code: manifest').click()
    await page.getByRole('button', { name: 'curl', exact: true }).click()
    await page.getByRole('region', { name: 'curl' }).getByText('/v1/monitors').waitFor()
    const { monitor, stored } = await watched(page)
    expect(monitor).toMatchObject({
      name: 'Kettle',
      url,
      fetch_mode: 'auto',
      extract_config: { method: 'css', fields: { price: '[itemprop="price"]' } },
      diff_predicate: { type: 'field_decreases_by_percent', field: 'price', threshold: 5 },
    })
    expect(stored).toEqual({ price: '$19.99' })
    expect(seen.faults).toEqual([])
    expect(seen.strangers).toEqual([])
    await page.context().close()
  })

  test('is used by the keyboard alone, and makes a list of all elements like one', async () => {
    const { page, watched: seen } = await opened()
    await look(page, looking.site.page('/shop', SHOP))
    const tree = page.getByRole('tree', { name: 'Elements of the page' })
    await tree.focus()
    const active = async () => {
      const id = await tree.getAttribute('aria-activedescendant')
      return page.locator(`[id="${id}"]`).innerText()
    }
    for (let steps = 0; steps < 60 && !(await active()).endsWith('Pot'); steps += 1)
      await page.keyboard.press((await active()).startsWith('▸') ? 'ArrowRight' : 'ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'All 3 of these' }).first().waitFor()
    // The same by the picture: it goes to the neighbour.
    await page.getByRole('application').focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await shows(page, 'Tea')
    await page.getByRole('button', { name: 'All 3 of these' }).first().focus()
    await page.keyboard.press('Enter')
    await page.getByText('3 items').waitFor()
    expect(await page.getByLabel('Condition').inputValue()).toBe('list_gains_items')
    await page.getByRole('button', { name: 'Watch it' }).focus()
    const { stored } = await watched(page)
    expect(Object.values(stored as object)).toEqual([['Cup', 'Pot', 'Tea']])
    expect(seen.faults).toEqual([])
    await page.context().close()
  })

  test('asks for a browser only where the fetched document has no such value', async () => {
    const { page } = await opened()
    await look(page, looking.site.page('/shop', SHOP))
    await press(page, '7 left')
    await shows(page, '7 left')
    const browser = page.getByRole('checkbox', { name: 'A browser opens the page each time' })
    await expect.poll(() => browser.isChecked()).toBe(true)
    await page.getByText('scripts of the page write it').waitFor()
    await page.getByRole('application').focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await page.getByText('It cannot be read: it is a canvas').waitFor()
    const { monitor, stored } = await watched(page)
    expect(monitor['fetch_mode']).toBe('browser')
    expect(Object.values(stored as object)).toEqual(['7 left'])
    await page.context().close()
  })

  test('points into JSON, which is a tree instead of a picture', async () => {
    const text = JSON.stringify({
      shop: {
        items: [
          { name: 'Cup', price: 3 },
          { name: 'Pot', price: 12.5 },
        ],
      },
    })
    const url = looking.site.page('/api', html(text, { 'content-type': 'application/json' }))
    const { page } = await opened()
    await look(page, url)
    await page.getByRole('searchbox', { name: 'Find on the page' }).fill('12.5')
    await page.keyboard.press('Enter')
    await shows(page, '12.5')
    expect(await page.getByRole('treeitem', { selected: true }).innerText()).toContain('12.5')
    const { monitor, stored } = await watched(page)
    expect(monitor['extract_config']).toMatchObject({ method: 'json_path' })
    expect(stored).toEqual({ price: 12.5 })
    await page.context().close()
  })

  test('lets the pointer through what covers the page, and leaves it out of the whole page', async () => {
    const { page } = await opened()
    await look(page, looking.site.page('/wall', WALL))
    await page.getByText('We use cookies').first().waitFor()
    await page.getByRole('button', { name: 'Hide this' }).first().click()
    await page.getByRole('button', { name: 'Show this' }).first().waitFor()
    await page.getByRole('radio', { name: 'the text of the whole page' }).click()
    await page.getByText('Without #wall').waitFor()
    const { monitor } = await watched(page)
    expect(monitor['extract_config']).toMatchObject({ method: 'full_page', ignore: { selectors: ['#wall'] } })
    await page.context().close()
  })

  test('says that a look has ended, and keeps what was filled in', async () => {
    const { page } = await opened()
    await look(page, looking.site.page('/shop', SHOP))
    await shows(page, '$19.99')
    await page.getByLabel('Name', { exact: true }).fill('Mine')
    await looking.dashboard.api.sql('update looks set expires_at = clock()')
    await page.getByLabel('Rule of price').fill('.offer b')
    await page.getByText('The look has ended').waitFor()
    await page.getByRole('button', { name: 'Look again' }).click()
    await page.getByText('The look has ended').waitFor({ state: 'hidden' })
    await shows(page, '$19.99')
    expect(await page.getByLabel('Rule of price').inputValue()).toBe('.offer b')
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Mine')
    await page.context().close()
  })

  test('says at each field what is wrong, and what the receiver of a test answers', async () => {
    const { page } = await opened()
    const address = page.getByLabel('Address')
    for (const [typed, why] of [
      ['ftp://example.com/', 'must be'],
      ['http://10.0.0.1/', 'not'],
    ] as const) {
      await address.fill(typed)
      await page.keyboard.press('Enter')
      await expect.poll(() => page.getByRole('alert').allInnerTexts()).toEqual([expect.stringContaining(why)])
      expect(await address.getAttribute('aria-invalid')).toBe('true')
    }
    await look(page, looking.site.page('/shop', SHOP))
    const rule = page.getByLabel('Rule of price')
    await rule.fill('b[')
    await expect.poll(() => rule.getAttribute('aria-invalid')).toBe('true')
    await rule.fill('b')
    await expect.poll(() => rule.getAttribute('aria-invalid')).toBe(null)
    await page.getByRole('button', { name: 'Add a destination' }).click()
    const to = page.getByLabel('Destination 1: address')
    await to.fill('nowhere')
    await page.getByRole('button', { name: 'Watch it' }).click()
    await expect.poll(() => to.getAttribute('aria-invalid')).toBe('true')
    expect(page.url()).toMatch(/\/new$/)
    await using receiver = await openReceiver(reply(503, 'closed for today'))
    await to.fill(receiver.url)
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText('✗ 503').waitFor()
    await page.getByText('closed for today').waitFor()
    expect(receiver.requests).toHaveLength(1)
    await page.context().close()
  })

  test('loads at most 70 KB of code and styles beside those of the list', async () => {
    const { page, watched: seen } = await opened('/')
    await page.getByRole('heading', { level: 1 }).waitFor()
    const before = new Set(seen.asked)
    await page.goto(`${looking.dashboard.base}/new`)
    await look(page, looking.site.page('/shop', SHOP))
    const paths = [...new Set(seen.asked)].filter((path) => path.startsWith('/assets/') && !before.has(path))
    const sizes = await Promise.all(
      paths.map(async (path) => (await readFile(join(looking.dashboard.built, `${path}.gz`))).length),
    )
    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    console.log(`${(bytes / 1024).toFixed(1)} KB of code and styles for a new monitor, compressed`)
    expect(paths.some((path) => path.includes('new-page'))).toBe(true)
    expect(bytes).toBeLessThan(70 * 1024)
    await page.context().close()
  })

  test('has no serious finding of axe, in both themes and widths', async () => {
    const url = looking.site.page('/shop', SHOP)
    for (const theme of ['light', 'dark'] as const)
      for (const width of [1280, 360]) {
        const how = { width, context: { colorScheme: theme } }
        const { page } = await looking.dashboard.open('/new', looking.owner, how)
        await page.setViewportSize({ width, height: 800 })
        await look(page, url)
        await press(page, 'Pot')
        await page.getByText(/other ways/).click()
        await page.getByRole('button', { name: 'Add a destination' }).click()
        expect({ theme, width, found: await findingsOf(page) }).toEqual({ theme, width, found: [] })
        const wide = await page.evaluate<number>('document.scrollingElement.scrollWidth')
        expect(wide).toBeLessThanOrEqual(width)
        await page.context().close()
      }
  })
})
