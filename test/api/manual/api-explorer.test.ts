import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeIf } from '../../support/skip.ts'
import { startTestBrowser } from '../../support/test-browser.ts'
import { createTestApi, type TestApi } from '../test-api.ts'

const hasBrowser = process.platform === 'linux' && process.arch === 'x64'

const COLLECT = `
  const faults = (globalThis.faults = [])
  document.addEventListener('securitypolicyviolation', (event) =>
    faults.push([event.violatedDirective, event.blockedURI, event.sample].join(' ')))
  addEventListener('error', (event) => faults.push(event.message))`

/** What the browser refused, and what it complained of, in order. */
const faultsOf = (page: Page): Promise<readonly string[]> => page.evaluate('faults')

describeIf(hasBrowser, 'there is no embedded browser for this platform')('The documentation in a browser', () => {
  let api: TestApi
  let base: string
  let browser: Awaited<ReturnType<typeof startTestBrowser>>
  let context: BrowserContext

  beforeAll(async () => {
    api = await createTestApi()
    base = await api.listen()
    browser = await startTestBrowser()
  }, 60_000)
  afterAll(async () => {
    await browser[Symbol.asyncDispose]()
    await api.close()
  })

  async function open(path: string, { width, dark = false }: { width: number; dark?: boolean }): Promise<Page> {
    context = await browser.playwright.newContext({
      viewport: { width, height: 900 },
      colorScheme: dark ? 'dark' : 'light',
    })
    await context.addInitScript(COLLECT)
    const page = await context.newPage()
    await page.goto(base + path)
    return page
  }

  test('a request is sent from the page of the API, with a key, within its policy', async () => {
    const owner = await api.owner()
    const page = await open('/docs/api', { width: 1200 })
    await page.getByRole('button', { name: 'Authorize' }).first().click()
    await page.locator('.modal-ux input').first().fill(owner.api_key)
    await page
      .locator('.modal-ux')
      .getByRole('button', { name: /^Apply/ })
      .first()
      .click()
    await page.locator('.modal-ux').getByRole('button', { name: 'Close' }).first().click()
    const usage = page.locator('.opblock', { hasText: '/v1/usage' }).first()
    await usage.locator('.opblock-summary').click()
    await usage.getByRole('button', { name: 'Try it out' }).click()
    await usage.getByRole('button', { name: 'Execute' }).click()
    const answer = usage.locator('.live-responses-table .response')
    await answer.waitFor()
    expect(await answer.innerText()).toMatch(/^200/)
    expect(await answer.innerText()).toContain('serpRunsPerMonth')
    expect(await faultsOf(page)).toEqual([])
    if (process.env['PICTURES']) await page.screenshot({ path: `${process.env['PICTURES']}/api.png` })
    await context.close()
  }, 60_000)

  test('the page of the API keeps no key, and loads nothing from elsewhere', async () => {
    const asked: string[] = []
    const page = await open('/docs/api', { width: 1200, dark: true })
    page.on('request', (request) => asked.push(request.url()))
    await page.reload()
    await page.locator('.opblock').first().waitFor()
    expect(asked.filter((url) => !url.startsWith(base) && !url.startsWith('data:'))).toEqual([])
    expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0)
    if (process.env['PICTURES']) await page.screenshot({ path: `${process.env['PICTURES']}/api-dark.png` })
    await context.close()
  }, 60_000)

  test('words are searched for from the field of every page, within its policy', async () => {
    const page = await open('/docs/webhooks', { width: 390 })
    await page.getByRole('searchbox', { name: 'Search' }).fill('dead delivery replay')
    await page.keyboard.press('Enter')
    await page.locator('.found').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    if (process.env['PICTURES']) await page.screenshot({ path: `${process.env['PICTURES']}/search-390.png` })
    await page.locator('.found a').first().click()
    await page.waitForURL(/\/docs\/.*#/)
    expect(await faultsOf(page)).toEqual([])
    await context.close()
  }, 60_000)
})
