import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createPolicy } from '../../egress/policy.ts'
import type { CreatedOwner } from '../../store/accounts/accounts.ts'
import { createPreviews } from '../../worker/previews/previews.ts'
import { googlePage } from '../support/browser/searched-engines.ts'
import { testBrowsers } from '../support/browser/test-browsers.ts'
import { html, openSite, type Site } from '../support/network/site.ts'
import { describeIf } from '../support/run/skip.ts'
import { findingsOf } from './axe.ts'
import { type Dashboard, hasBrowser, startDashboard } from './open-dashboard.ts'

// A browser starts, and each search opens a page in it.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

describeIf(hasBrowser, 'there is no embedded browser for this platform')('The screen for a new search', () => {
  let dashboard: Dashboard
  let engine: Site
  let owner: CreatedOwner
  const started = new AsyncDisposableStack()
  beforeAll(async () => {
    const egress = createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] })
    engine = started.use(await openSite())
    engine.page('/search', html(googlePage(['https://a.example/', 'https://shop.example.com/kettles'])))
    const browsers = testBrowsers()
    started.defer(() => browsers.close())
    const means = { browsers, endpoints: { google: engine.origin }, between: [0, 1] as const, country: 'us' }
    const previews = createPreviews({ egress, search: { means, exit: 'of-the-api', spacingMs: 0 } })
    started.defer(() => previews.close())
    dashboard = started.use(await startDashboard({ egress, previews }))
    owner = await dashboard.api.owner({ plan: 'unlimited' })
  })
  afterAll(() => started.disposeAsync())

  const call = (method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) =>
    dashboard.api.call(owner.api_key, method, path, body)
  const SPEC = {
    name: 'Kettles',
    keyword: 'kettle',
    schedule_interval_seconds: 86_400,
    engine: 'bing',
    location_code: 'de',
    language_code: 'de',
    pages: 2,
    target_domain: 'example.com',
    rank_change_threshold: 2,
    labels: { team: 'shop' },
  }

  test('leads from the address of a page to a search, whose results can be seen before it is saved', async () => {
    const { page, watched } = await dashboard.open('/new', owner, { width: 1280 })
    await page.getByRole('link', { name: 'what a search engine finds' }).click()
    await page.getByLabel('Keyword').fill('electric kettle')
    await page.getByLabel('The site:').fill('example.com')
    await page.getByLabel('and when it moves').check()
    await page.getByLabel('Positions').fill('5')
    await page.getByRole('button', { name: 'Search now' }).click()
    await page.getByText('has position 2').waitFor()
    expect(await page.getByRole('list', { name: 'Results of the search' }).getByRole('link').count()).toBe(2)
    await page.getByLabel('in the country').fill('at')
    await page.getByText('before you changed it').waitFor()
    expect(await findingsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Watch it' }).click()
    await page.waitForURL(/\/serp-monitors\/[\w-]+$/)
    const { body } = await call('GET', `/v1/serp-monitors/${page.url().split('/').at(-1)}`)
    expect(body).toMatchObject({
      name: 'electric kettle (google)',
      keyword: 'electric kettle',
      location_code: 'at',
      mode: 'rank_tracking',
      target_domain: 'example.com',
      rank_change_threshold: 5,
      schedule_interval_seconds: 86_400,
    })
    expect(watched.faults).toEqual([])
    await page.context().close()
  })

  test('says at each field what is wrong, and asks for nothing of an engine then', async () => {
    const { page } = await dashboard.open('/new/search', owner)
    const before = engine.requests.length
    await page.getByRole('button', { name: 'Watch it' }).click()
    const keyword = page.getByLabel('Keyword')
    await expect.poll(() => keyword.getAttribute('aria-invalid')).toBe('true')
    await keyword.fill('kettle')
    await expect.poll(() => keyword.getAttribute('aria-invalid')).toBe(null)
    const country = page.getByLabel('in the country')
    await country.fill('1')
    await page.getByRole('button', { name: 'Search now' }).click()
    await expect.poll(() => country.getAttribute('aria-invalid')).toBe('true')
    expect(engine.requests.length).toBe(before)
    await page.context().close()
  })

  test('shows what somebody else changed, lets a person choose, and copies all settings', async () => {
    const { body: made } = await call('POST', '/v1/serp-monitors?paused=true', SPEC)
    const path = `/serp-monitors/${String(made['id'])}`
    const { page } = await dashboard.open(path, owner)
    await page.getByRole('link', { name: 'Edit', exact: true }).click()
    await page.getByText('Nothing is changed yet.').waitFor()
    await call('PATCH', `/v1${path}`, { name: 'Tea', pages: 3, labels: { team: 'tea' } })
    await page.getByLabel('Pages of results').selectOption('4')
    await page.getByLabel('Name', { exact: true }).fill('Coffee')
    await page.getByRole('radio', { name: 'anything in the list' }).check()
    await page.getByText('the next run compares nothing').waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Theirs: name, pages, labels.').waitFor()
    expect((await call('GET', `/v1${path}`)).body).toMatchObject({ name: 'Tea', mode: 'rank_tracking' })
    expect(await findingsOf(page)).toEqual([])
    await page.getByRole('radio', { name: 'name: theirs' }).check()
    await page.getByRole('button', { name: 'Put both together' }).click()
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Tea')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.waitForURL(new RegExp(`${path}$`))
    expect((await call('GET', `/v1${path}`)).body).toMatchObject({
      ...SPEC,
      name: 'Tea',
      pages: 4,
      labels: { team: 'tea' },
      mode: 'full_analysis',
      target_domain: null,
      rank_change_threshold: null,
    })
    await page.getByRole('link', { name: 'Duplicate' }).click()
    await page.getByRole('button', { name: 'Watch it' }).click()
    await page.waitForURL((url) => url.pathname.startsWith('/serp-monitors/') && url.pathname !== path)
    const { body: copy } = await call('GET', `/v1${new URL(page.url()).pathname}`)
    expect(copy).toMatchObject({
      name: 'Tea (copy)',
      engine: 'bing',
      location_code: 'de',
      pages: 4,
      labels: { team: 'tea' },
    })
    await page.context().close()
  })
})
