import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { html } from '../support/network/site.ts'
import { describeIf } from '../support/run/skip.ts'
import { openReceiver, reply } from '../support/worker/receiver.ts'
import { type LookingDashboard, startLooking } from './looking.ts'
import { look, press, SHOP, shows, watch } from './making.ts'
import { hasBrowser } from './open-dashboard.ts'

// A browser starts, and each look opens a page in it.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

describeIf(hasBrowser, 'there is no embedded browser for this platform')('The screen for a new monitor', () => {
  let looking: LookingDashboard
  beforeAll(async () => {
    looking = await startLooking()
  })
  afterAll(() => looking[Symbol.asyncDispose]())

  const call = (method: 'GET' | 'POST', path: string, body?: object) =>
    looking.dashboard.api.call(looking.owner.api_key, method, path, body)
  const opened = (path = '/new') => looking.dashboard.open(path, looking.owner)

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
    const { monitor, stored } = await watch(page, looking)
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

  test('looks at once at the address that the empty list was given, and once alone', async () => {
    const stranger = await looking.dashboard.api.owner({ plan: 'unlimited' })
    const { page, watched: seen } = await looking.dashboard.open('/', stranger)
    await page.getByLabel('The address of a page, an API or a feed').fill(looking.site.page('/shop', SHOP))
    await page.keyboard.press('Enter')
    await shows(page, '$19.99')
    await page.reload()
    await page.getByText('Or start from a template').waitFor()
    expect(await page.getByLabel('Address').inputValue()).toBe('')
    expect(seen.asked.filter((path) => path === '/v1/looks')).toHaveLength(1)
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
    await page.getByLabel('Condition').focus()
    await page.keyboard.type('gains a line')
    await page.keyboard.press('Tab')
    await page.keyboard.type('^P')
    await page.getByRole('button', { name: 'Watch it' }).focus()
    const { monitor, stored } = await watch(page, looking)
    expect(monitor['diff_predicate']).toEqual({ type: 'lines_added', field: 'items', pattern: '^P' })
    expect(Object.values(stored as object)).toEqual([['Cup', 'Pot', 'Tea']])
    expect(seen.faults).toEqual([])
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
    const { monitor, stored } = await watch(page, looking)
    expect(monitor['extract_config']).toMatchObject({ method: 'json_path' })
    expect(stored).toEqual({ price: 12.5 })
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
})
