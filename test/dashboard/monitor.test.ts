import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPolicy } from '../../egress/policy.ts'
import type { CreatedOwner } from '../../store/accounts/accounts.ts'
import { SMALLEST } from '../support/api/monitor-body.ts'
import { seedRun, seedRuns } from '../support/api/seeded-runs.ts'
import { changeMonitors } from '../support/database/change-monitors.ts'
import { failTimes } from '../support/database/check-states.ts'
import { html, openSite } from '../support/network/site.ts'
import { describeIf } from '../support/run/skip.ts'
import { startWorker } from '../support/worker/check-worker.ts'
import { type Dashboard, hasBrowser, startDashboard } from './open-dashboard.ts'
import { refusalOf } from './refusal-of.ts'
import { savedBy } from './saved-file.ts'

const HOSTILE = '<img src=x onerror=alert(1)>\u{202E}evil'
const SEARCH = { name: 'Rank', keyword: 'kettle', schedule_interval_seconds: 600, target_domain: 'example.com' }
const HOOK = { type: 'webhook', url: 'https://receiver.example/hook' }

describeIf(hasBrowser, 'there is no embedded browser for this platform')('The screen of a monitor', () => {
  let dashboard: Dashboard
  let owner: CreatedOwner
  let site: Awaited<ReturnType<typeof openSite>>
  const ids: Record<string, string> = {}
  const call = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) =>
    dashboard.api.call(owner.api_key, method, path, body)
  async function create(name: string, body: object, path = '/v1/monitors'): Promise<void> {
    const made = await call('POST', `${path}?paused=true`, body)
    ids[name] = String(made.body['id'])
  }

  /** Runs of two days: prices with runs between them that found the same, one that fired, and failures. */
  async function seedPrices(id: string) {
    const { services } = dashboard.api
    const change = (before: string, after: string) => ({
      fields_changed: ['price'],
      before: { price: before },
      after: { price: after },
    })
    const readings = await seedRun(services, id, { age: '47 h', extracted: { price: '$21.00' } })
    for (const hour of [46, 45, 44]) await seedRun(services, id, { age: `${hour} h`, readingId: readings })
    await seedRun(services, id, { age: '30 h', extracted: { price: '$19.99' }, diff: change('$21.00', '$19.99') })
    for (const hour of [20, 19, 18])
      await seedRun(services, id, { age: `${hour} h`, status: 'error', errorCode: 'timeout', errorMessage: HOSTILE })
    const last = await seedRun(services, id, {
      age: '3 h',
      extracted: { price: '$17.49' },
      diff: change('$19.99', '$17.49'),
      triggered: true,
    })
    for (const minutes of [150, 120, 90, 60, 30])
      await seedRun(services, id, { age: `${minutes} min`, readingId: last })
  }

  beforeAll(async () => {
    dashboard = await startDashboard({ egress: createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] }) })
    owner = await dashboard.api.owner({ plan: 'unlimited' })
    const labels = { team: 'shop' }
    await create('kettle', { ...SMALLEST, name: HOSTILE, labels, deliveries: [HOOK] })
    await create('failing', { ...SMALLEST, name: 'Failing' })
    await create('search', SEARCH, '/v1/serp-monitors')
    await create('gone', { ...SMALLEST, name: 'Gone' })
    site = await openSite()
    await create('many', { ...SMALLEST, name: 'Many', url: site.url })
    const fields = { price: '.price' }
    await create('real', { ...SMALLEST, name: 'Real', url: site.url, extract_config: { method: 'css', fields } })
    await seedRuns(dashboard.api.services, ids['many'] ?? '', { count: 150, extracted: { price: null } })
    await seedPrices(ids['kettle'] ?? '')
    await seedRun(dashboard.api.services, ids['failing'] ?? '', {
      status: 'error',
      errorCode: 'blocked',
      errorMessage: 'The site answered 403.',
    })
    await failTimes(dashboard.api, [ids['failing'] ?? ''], 3)
    const results = (rank: number) => Array.from({ length: rank }, (_, nth) => ({ position: nth + 1 }))
    for (const [age, rank] of [
      ['40 h', 7],
      ['20 h', 4],
      ['2 h', 2],
    ] as const)
      await seedRun(dashboard.api.services, ids['search'] ?? '', { age, rank, results: results(rank) })
    await seedRun(dashboard.api.services, ids['search'] ?? '', { age: '10 h', status: 'error', errorCode: 'blocked' })
  }, 60_000)
  afterAll(async () => {
    await site[Symbol.asyncDispose]()
    await dashboard[Symbol.asyncDispose]()
  })

  const opened = async (path: string, as: CreatedOwner = owner, width = 1280) => {
    const found = await dashboard.open(path, as, { width })
    await found.page.getByRole('heading', { level: 1 }).waitFor()
    return found
  }
  const kettle = (query = '') => `/monitors/${ids['kettle']}?field=price${query}`
  const runsOf = (page: Page) => page.getByRole('region', { name: 'Runs' })
  const linesOf = async (page: Page) => {
    await runsOf(page).getByRole('listitem').first().waitFor()
    return runsOf(page).getByRole('listitem').allInnerTexts()
  }

  test('says what it is now, since when and what it was before, and shows strangers’ texts as text', async () => {
    await changeMonitors(dashboard.api, ids['gone'] ?? '', { url: 'javascript:alert(1)' })
    const { page, watched } = await opened(kettle())
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(HOSTILE)
    await expect
      .poll(() => page.locator('article header').innerText())
      .toMatch(/Paused[^]*every minute[^]*price[^]*\$17\.49[^]*since\s+3 hr\. ago[^]*before\s+\$19\.99/)
    await page.getByText('Fires when anything changes').waitFor()
    const target = page.getByRole('link', { name: SMALLEST.url })
    expect(await target.getAttribute('rel')).toBe('noopener noreferrer')
    await page.getByRole('link', { name: 'team=shop' }).click()
    await page.waitForURL(/\?label=team%3Dshop$/)
    await page.getByRole('gridcell').first().waitFor()
    await page.goto(`${dashboard.base}/monitors/${ids['gone']}`)
    await page.getByText('javascript:alert(1)').waitFor()
    expect(await page.locator('a[href^="javascript"]').count()).toBe(0)
    expect(await page.locator('main img').count()).toBe(0)
    expect(watched.faults).toEqual([])
    expect(watched.strangers).toEqual([])
    await page.context().close()
  })

  test('plots the numbers, which the arrow keys read, and which a table has as well', async () => {
    const { page, watched } = await opened(kettle())
    const plot = page.getByRole('slider', { name: 'Plot of price' })
    await plot.locator('canvas').waitFor()
    await page.getByText('2 changes').waitFor()
    await page.getByText('1 stretch of failed checks').waitFor()
    await plot.focus()
    const read = async (key: string, text: RegExp) => {
      await page.keyboard.press(key)
      await expect.poll(() => plot.getAttribute('aria-valuetext')).toMatch(text)
    }
    await read('End', /: 17\.49$/)
    await read('ArrowLeft', /: Checks fail\. The answer did not arrive/)
    await read('ArrowLeft', /: 19\.99$/)
    await read('Home', /: 21$/)
    await page.keyboard.press('End')
    await page.getByText('The numbers as a table').click()
    const rows = page.getByRole('region', { name: 'Numbers' }).getByRole('row')
    expect((await rows.allInnerTexts()).map((text) => text.split('\t')[1])).toEqual(['price', '17.49', '19.99', '21'])
    await page.getByRole('link', { name: 'Open the run' }).click()
    await page.waitForURL(/\/runs\/[0-9a-f-]+$/)
    await page.goBack()
    await page.getByRole('button', { name: '7 days' }).click()
    await page.waitForURL(/range=7/)
    await page.emulateMedia({ colorScheme: 'dark' })
    await plot.locator('canvas').waitFor()
    expect(watched.faults).toEqual([])
    await page.context().close()
  })

  test('plots of a search its rank, or the number of its results', async () => {
    const { page, watched } = await opened(`/serp-monitors/${ids['search']}`)
    await page.getByRole('slider', { name: 'Plot of rank' }).focus()
    await page.keyboard.press('Home')
    await page.getByText(/: #7$/).waitFor()
    await expect.poll(() => page.locator('article header').innerText()).toMatch(/rank[^]*#2[^]*before\s+#4/)
    await page.getByRole('combobox', { name: 'Field of the plot' }).selectOption('results')
    expect((await linesOf(page))[0]).toMatch(/other results/)
    await page.waitForURL(/field=results/)
    await page.getByRole('slider', { name: 'Plot of results' }).waitFor()
    expect(watched.faults).toEqual([])
    await page.context().close()
  })

  test('saves what it has found as a file, for a spreadsheet and for a program', async () => {
    const { page } = await opened(kettle())
    const csv = await savedBy(page, 'Export CSV')
    expect(csv.name).toMatch(/^img-src-x-onerror-alert-1-evil-history-\d{4}-\d\d-\d\d\.csv$/)
    expect(csv.text.split('\r\n').map((line) => line.split(',')[5])).toEqual([
      ...['price', '$17.49', '', '', '', '$19.99', '$21.00'].map((cell) => `"${cell}"`),
      undefined,
    ])
    const json = await savedBy(page, 'Export JSON')
    expect(json.name).toMatch(/^img-src-x-onerror-alert-1-evil-history-.*\.json$/)
    expect((JSON.parse(json.text) as { readonly data: readonly unknown[] }).data).toHaveLength(6)
    await page.getByText('The file is saved').waitFor()
    await page.context().close()
  })

  test('folds runs that found the same, and keeps what is shown and unfolded in the address', async () => {
    const { page } = await opened(kettle())
    const lines = await linesOf(page)
    expect(lines).toHaveLength(5)
    expect(lines[0]).toMatch(/same ×5 since /)
    expect(lines[1]).toMatch(/\$19\.99 → \$17\.49[^]*fired/)
    expect(lines[2]).toMatch(/failed ×3 since [^]*The answer did not arrive completely/)
    await page.getByRole('button', { name: /^same ×5/ }).press('Enter')
    await page.waitForURL(/open=[0-9a-f-]+/)
    await page.reload()
    await expect.poll(() => page.getByRole('list', { name: '5 runs' }).getByRole('listitem').count()).toBe(5)
    const choose = async (name: string, expected: number) => {
      await page.getByRole('group', { name: 'Which runs' }).getByRole('button', { name }).press('Space')
      await expect.poll(() => runsOf(page).getByRole('listitem').count()).toBe(expected)
    }
    await choose('Changed', 2)
    await choose('Fired', 1)
    await choose('Failed', 1)
    expect(page.url()).toMatch(/runs=failed/)
    await choose('All', 5)
    const day = new Date(Date.now() - 40 * 3_600_000)
    const text = [day.getFullYear(), day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, '0'))
    await page.getByLabel('Jump to').fill(text.join('-'))
    await page.waitForURL(/day=/)
    await expect.poll(async () => (await linesOf(page)).at(-1)).toMatch(/same ×4/)
    expect((await linesOf(page))[0]).not.toMatch(/17\.49/)
    await page.getByRole('button', { name: 'Newest' }).click()
    await expect.poll(async () => (await linesOf(page))[0]).toMatch(/same ×5/)
    await page.context().close()
  })

  test('reads older runs when it is asked for them', async () => {
    const { page } = await opened(`/monitors/${ids['many']}`)
    await page.getByRole('button', { name: 'same ×100' }).waitFor()
    await page.getByRole('button', { name: 'Show older runs' }).press('Enter')
    await page.getByRole('button', { name: 'same ×150' }).waitFor()
    await page.getByRole('button', { name: 'Show older runs' }).waitFor({ state: 'detached' })
    await page.context().close()
  })

  test('says why it fails, and what to do', async () => {
    const { page } = await opened(`/monitors/${ids['failing']}`)
    const why = await page.getByRole('region', { name: 'Why it fails' }).innerText()
    expect(why).toMatch(/The last 3 checks failed[^]*The site refused the request[^]*The site answered 403/)
    expect(why).toMatch(/What you can do: Have it checked less often/)
    await page.getByRole('link', { name: 'All reasons' }).click()
    await page.getByRole('heading', { name: 'Failed runs' }).waitFor()
    await page.context().close()
  })

  test('is paused, resumed and checked now by keys, and says how that goes', async () => {
    const { page, watched } = await opened(`/monitors/${ids['many']}`)
    await page.getByRole('button', { name: 'Resume' }).waitFor()
    await page.keyboard.press('p')
    await page.getByText('It is checked again.').waitFor()
    await page.getByRole('button', { name: 'Pause' }).press('Enter')
    await page.getByText('It is paused.').waitFor()
    await page.keyboard.press('r')
    await page.getByText('It is being checked…').waitFor()
    await expect.poll(async () => (await linesOf(page))[0]).toMatch(/is running/)
    expect(watched.faults).toEqual([])
    await page.context().close()
  })

  test('is checked by a click, and shows at once what the check found', async () => {
    const worker = await startWorker({ url: dashboard.api.databaseUrl, secrets: dashboard.api.services.secrets })
    const { page, watched } = await opened(`/monitors/${ids['real']}`)
    for (const [price, said] of [
      ['$20.00', 'It was checked: nothing changed.'],
      ['$15.00', 'It was checked: something changed.'],
    ] as const) {
      site.answer(html(`<b class="price">${price}</b>`))
      await page.getByRole('button', { name: 'Run now' }).click()
      await page.getByText(said).waitFor()
      await page.locator('article header').getByText(price, { exact: true }).waitFor()
    }
    const plot = page.getByRole('slider', { name: 'Plot of price' })
    // The plot reads its points behind the value.
    const lastIs15 = async () => {
      await plot.press('End')
      return page.getByText(/: 15$/).count()
    }
    await expect.poll(lastIs15, { timeout: 30_000 }).toBe(1)
    expect((await linesOf(page))[0]).toMatch(/\$20\.00 → \$15\.00/)
    expect(watched.faults).toEqual([])
    await page.context().close()
    await worker.stop(5_000)
  })

  test('shows its secret and its manifest on request, copies them, and replaces the secret', async () => {
    const { page, watched } = await opened(kettle())
    const secret = page.getByRole('region', { name: 'Signing secret' })
    await secret.getByRole('button', { name: 'Show' }).click()
    const text = secret.getByRole('region', { name: 'Secret' })
    const old = await text.innerText()
    expect(old).toMatch(/^[0-9a-f]{64}$/)
    // A page at a plain address of a network may not write to the clipboard.
    await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`)
    await secret.getByRole('button', { name: 'Copy' }).click()
    await secret.getByText(/^It is selected/).waitFor()
    await expect.poll(() => page.evaluate('getSelection().toString()')).toBe(old)
    await secret.getByRole('button', { name: 'Replace…' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Replace the signing secret?' })
    await dialog.getByLabel('Hours of both').fill('169')
    await expect.poll(() => dialog.getByRole('button', { name: 'Replace it' }).isDisabled()).toBe(true)
    await dialog.getByLabel('Hours of both').fill('2')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => text.innerText()).not.toBe(old)
    await secret.getByRole('button', { name: 'Hide' }).click()
    await text.waitFor({ state: 'detached' })
    const code = page.getByRole('region', { name: 'As code' })
    await code.getByRole('button', { name: 'Show' }).click()
    await code.getByText('kind: Monitor').waitFor()
    expect(watched.faults).toEqual([])
    await page.context().close()
  })

  test('shows whoever may only read what they may not do, and why', async () => {
    const viewer = { ...owner, session_token: await dashboard.api.member(owner, 'viewer') }
    await changeMonitors(dashboard.api, ids['failing'] ?? '', { managedBy: 'file' })
    const { page } = await opened(`/monitors/${ids['failing']}`, viewer)
    await page.locator('#why-not').getByText('Your role may only read.').waitFor()
    for (const name of ['Run now', 'Resume', 'Replace…'])
      await expect.poll(() => page.getByRole('button', { name }).isDisabled()).toBe(true)
    const show = page.getByLabel('Signing secret').getByRole('button', { name: 'Show' })
    await expect.poll(() => refusalOf(show)).toBe('Your role may not read it.')
    const replace = page.getByRole('button', { name: 'Replace…' })
    await expect.poll(() => refusalOf(replace)).toBe('Your role may not replace it.')
    await page.getByText('Declared in a file').waitFor()
    await page.context().close()
  })

  test('says what is there to do where there is no monitor, or no longer', async () => {
    const { page } = await opened(`/monitors/${ids['gone']}`)
    await call('DELETE', `/v1/monitors/${ids['gone']}`)
    // The stream of events tells the page.
    await page.getByRole('heading', { name: 'This monitor was deleted' }).waitFor()
    const stranger = await dashboard.api.owner()
    for (const [id, as] of [
      [ids['kettle'], stranger],
      ['none', owner],
    ] as const) {
      const found = await dashboard.open(`/monitors/${id}`, as)
      await found.page.getByRole('heading', { name: 'There is no such monitor in this team' }).waitFor()
      await found.page.getByRole('link', { name: 'Show all monitors' }).click()
      await found.page.waitForURL(`${dashboard.base}/`)
      await found.page.context().close()
    }
    await page.context().close()
  })

  test.each([320, 1280])('needs no more than %d pixels', async (width) => {
    const { page } = await opened(kettle(), owner, width)
    await page.locator('canvas').waitFor()
    await linesOf(page)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    expect(await page.evaluate('document.querySelector("article").scrollWidth')).toBeLessThanOrEqual(width)
    await page.context().close()
  })

  test('loads at most 70 KB of code and styles beside those of the list', async () => {
    const { page, watched } = await opened('/')
    const before = new Set(watched.asked)
    await page.goto(dashboard.base + kettle())
    await page.locator('canvas').waitFor()
    const paths = [...new Set(watched.asked)].filter((path) => path.startsWith('/assets/') && !before.has(path))
    const sizes = await Promise.all(
      paths.map(async (path) => (await readFile(join(dashboard.built, `${path}.gz`))).length),
    )
    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    console.log(`${(bytes / 1024).toFixed(1)} KB of code and styles for a monitor, compressed`)
    expect(paths.some((path) => path.includes('plot'))).toBe(true)
    expect(bytes).toBeLessThan(70 * 1024)
    await page.context().close()
  })
})
