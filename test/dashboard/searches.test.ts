import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CreatedOwner } from '../../store/accounts/accounts.ts'
import { seedRun } from '../support/api/seeded-runs.ts'
import { failTimes } from '../support/database/check-states.ts'
import { describeIf } from '../support/run/skip.ts'
import { type Dashboard, hasBrowser, startDashboard } from './open-dashboard.ts'

const HOSTILE = '<img src=x onerror=alert(1)>\u{202E}shoes'

const result = (position: number, domain: string, description: string | null = null) => ({
  position,
  title: `${domain} has shoes`,
  url: `https://${domain}/shoes`,
  domain,
  description,
})
const CHECK = { source: 'engine', pages: 1, cut_by: null, is_guess: false, marker: 'results' }

describeIf(hasBrowser, 'there is no embedded browser for this platform')('The screens of searches', () => {
  let dashboard: Dashboard
  let owner: CreatedOwner
  const ids: Record<string, string> = {}
  const runs: Record<string, string> = {}
  async function create(name: string, more: object): Promise<void> {
    const body = { name, keyword: 'running shoes', schedule_interval_seconds: 3600, target_domain: 'shop.com', ...more }
    const made = await dashboard.api.call(owner.api_key, 'POST', '/v1/serp-monitors?paused=true', body)
    expect(made.status).toBe(201)
    ids[name] = String(made.body['id'])
  }
  const seed = (name: string, run: object) => seedRun(dashboard.api.services, ids[name] ?? '', run)

  beforeAll(async () => {
    dashboard = await startDashboard()
    owner = await dashboard.api.owner({ plan: 'unlimited' })
    await create('Google', { engine: 'google', location_code: 'de', language_code: 'de', pages: 3 })
    await create('Phone', { engine: 'google', device: 'mobile' })
    await create('Bing', { engine: 'bing' })
    await create('Kettles', { keyword: 'kettle', engine: 'bing' })
    await create('Hostile', { keyword: HOSTILE, name: HOSTILE, target_domain: undefined })
    const shown = (rank: number | undefined, more: object = {}) => ({
      results: Array.from({ length: 9 }, (_, nth) =>
        result(nth + 1, nth + 1 === rank ? 'www.shop.com' : `site${nth}.com`, 'Shoes from 50 euros.'),
      ),
      ...(rank !== undefined && { rank }),
      ...more,
    })
    await seed('Google', { age: '70 h', ...shown(7, { aiOverview: false, featuredSnippet: false }) })
    await seed('Google', { age: '50 h', ...shown(3, { aiOverview: true, featuredSnippet: false }) })
    for (const age of ['40 h', '36 h', '30 h']) await seed('Google', { age, status: 'error', errorCode: 'blocked' })
    await seed('Google', { age: '26 h', ...shown(undefined, { aiOverview: true, featuredSnippet: false }) })
    runs['google'] = await seed('Google', {
      age: '3 h',
      check: { ...CHECK, outcome: 'ok', country: 'approximate', late_ms: 420_000 },
      rank: 2,
      aiOverview: true,
      featuredSnippet: false,
      results: [result(1, 'site1.com', 'Shoes from 50 euros.'), result(2, 'www.shop.com', 'Shoes from 45 euros.')],
    })
    await seed('Phone', { age: '60 h', ...shown(9) })
    await seed('Phone', { age: '8 h', ...shown(5) })
    await seed('Bing', { age: '65 h', ...shown(4) })
    runs['blocked'] = await seed('Bing', {
      age: '5 h',
      status: 'error',
      errorCode: 'blocked',
      errorMessage: 'The engine asked for a captcha.',
      check: { ...CHECK, outcome: 'blocked', source: null, pages: 0, country: 'exact', late_ms: 900 },
    })
    await failTimes(dashboard.api, [ids['Bing'] ?? ''], 1)
    await dashboard.api.sql(`insert into serp_engines (engine, refusals, refused_until)
      values ('bing', 2, clock() + interval '30 minutes')`)
  }, 60_000)
  afterAll(() => dashboard[Symbol.asyncDispose]())

  const opened = async (path: string, width = 1280) => {
    const found = await dashboard.open(path, owner, { width })
    await found.page.getByRole('heading', { level: 1 }).waitFor()
    return found
  }

  test('are a list by keyword, with the engine that is left alone, filters in the address and keys', async () => {
    const { page, watched } = await opened('/')
    await page.getByRole('link', { name: 'Searches' }).click()
    await page.waitForURL(/\/searches$/)
    await page.getByText('Bing refused').waitFor()
    const groups = page.getByRole('region', { name: 'running shoes' })
    await groups.getByRole('listitem').first().waitFor()
    expect(await page.getByRole('heading', { level: 2 }).allInnerTexts()).toEqual([
      HOSTILE,
      'kettle',
      expect.stringMatching(/^running shoes\s*3 searches$/),
    ])
    const rows = groups.getByRole('listitem')
    expect(await rows.count()).toBe(3)
    expect(await rows.nth(0).innerText()).toMatch(/Google · desktop · Germany, German[^]*shop\.com/)
    expect(await page.locator('main img').count()).toBe(0)
    await page.keyboard.press('/')
    await page.keyboard.type('kettle')
    await page.waitForURL(/\?q=kettle$/)
    await expect.poll(() => page.getByRole('heading', { level: 2 }).allInnerTexts()).toEqual(['kettle'])
    await page.getByRole('searchbox').press('Escape')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.waitForURL(new RegExp(`/serp-monitors/${ids['Kettles']}$`))
    await page.keyboard.press('g')
    await page.keyboard.press('s')
    await page.waitForURL(/\/searches$/)
    expect(watched.faults).toEqual([])
    await page.context().close()
  })

  test('have the ranks of a keyword in one plot, which keys read, with best, worst and mean', async () => {
    const { page, watched } = await opened('/searches')
    await page.getByRole('link', { name: 'running shoes' }).click()
    await page.waitForURL(/\/searches\/keyword\?keyword=running\+shoes$/)
    const plot = page.getByRole('slider', { name: 'Plot of the ranks' })
    await plot.locator('canvas').waitFor()
    const row = page.getByRole('row', { name: /Germany/ })
    await expect.poll(() => row.innerText()).toMatch(/shop\.com\s+(–|#2)\s+#2\s+#7\s+\d\.\d\s+\d\d\s?%\s+3/)
    await plot.focus()
    await page.keyboard.press('Home')
    const text = () => plot.getAttribute('aria-valuetext')
    await expect.poll(text).toMatch(/Germany, German #7;[^;]*not checked yet/)
    await page.keyboard.press('End')
    await expect.poll(text).toMatch(/Germany, German #2; /)
    // A check that was blocked is never a fall to nothing.
    await expect.poll(text).toMatch(/Bing[^;]*not known/)
    await page.getByRole('checkbox', { name: /Draw Bing/ }).press('Space')
    await expect.poll(text).not.toMatch(/Bing/)
    await page.getByRole('button', { name: 'All' }).click()
    await page.waitForURL(/range=all/)
    await plot.locator('canvas').waitFor()
    expect(watched.faults).toEqual([])
    await page.context().close()
  })

  test('say of one search what it costs, how it stood, and when an AI overview was shown', async () => {
    const { page, watched } = await opened(`/serp-monitors/${ids['Google']}`)
    await page.getByText('3 runs a check').waitFor()
    await page.getByText('best #2').waitFor()
    await page.getByText('worst #7').waitFor()
    await page.getByText('entered the results 1 time').waitFor()
    await page.getByText('left them 1 time').waitFor()
    await page.getByText('shown now').click()
    expect(await page.getByText(/^Shown from/).innerText()).toMatch(/until now$/)
    await page.getByRole('link', { name: 'running shoes' }).click()
    await page.getByRole('heading', { name: 'running shoes' }).waitFor()
    expect(watched.faults).toEqual([])
    await page.context().close()
  })

  test('show what moved by words, what two checks had side by side, and how late and from where it was', async () => {
    const { page, watched } = await opened(`/serp-monitors/${ids['Google']}/runs/${runs['google']}`)
    await page.getByText('It began 7 minutes late').waitFor()
    await page.getByText('The check was not made from the country of the search').waitFor()
    await page.getByText('AI overview: shown. Featured snippet: not shown.').waitFor()
    await page.getByText('watched').waitFor()
    const before = page.getByRole('combobox', { name: 'Compared with' })
    await before.waitFor()
    const texts = page.getByRole('region', { name: 'Results' })
    await expect.poll(() => texts.innerText()).toMatch(/Gone/)
    await page.getByRole('button', { name: 'Side by side' }).click()
    await page.waitForURL(/results=beside/)
    await expect.poll(() => texts.innerText()).toMatch(/#\s+Before\s+Now/)
    expect(await texts.getByText('gone now').count()).toBeGreaterThan(0)
    expect(watched.faults).toEqual([])
    await page.context().close()
  })

  test('mark the words of a description that changed', async () => {
    const steady = (price: string) => ({ results: [result(1, 'www.shop.com', `Shoes from ${price} euros.`)], rank: 1 })
    await seed('Kettles', { age: '9 h', ...steady('50') })
    const run = await seed('Kettles', { age: '8 h', ...steady('45') })
    const { page } = await opened(`/serp-monitors/${ids['Kettles']}/runs/${run}`)
    const texts = page.getByRole('region', { name: 'Results' })
    await texts.locator('ins').waitFor()
    expect([await texts.locator('del').innerText(), await texts.locator('ins').innerText()]).toEqual(['50', '45'])
    await page.context().close()
  })

  test('say below a refused run until when its engine is left alone', async () => {
    const { page } = await opened(`/serp-monitors/${ids['Bing']}/runs/${runs['blocked']}`)
    await page.getByText('2 times in a row').waitFor()
    await page.context().close()
  })
})
