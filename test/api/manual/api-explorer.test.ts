import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeIf } from '../../support/run/skip.ts'
import { faultsOf, hasBrowser, type ManualBrowser, NO_BROWSER, startManualBrowser } from './manual-browser.ts'

describeIf(hasBrowser, NO_BROWSER)('The documentation in a browser', () => {
  let browser: ManualBrowser

  beforeAll(async () => {
    browser = await startManualBrowser()
  }, 60_000)
  afterAll(() => browser[Symbol.asyncDispose]())

  test('a request is sent from the page of the API, with a key, within its policy', async () => {
    const owner = await browser.api.owner()
    const page = await browser.open('/docs/api', { width: 1200 })
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
    await page.context().close()
  }, 60_000)

  test('the page of the API keeps no key, and loads nothing from elsewhere', async () => {
    const asked: string[] = []
    const page = await browser.open('/docs/api', { width: 1200, dark: true })
    page.on('request', (request) => asked.push(request.url()))
    await page.reload()
    await page.locator('.opblock').first().waitFor()
    expect(asked.filter((url) => !url.startsWith(browser.base) && !url.startsWith('data:'))).toEqual([])
    expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0)
    if (process.env['PICTURES']) await page.screenshot({ path: `${process.env['PICTURES']}/api-dark.png` })
    await page.context().close()
  }, 60_000)

  test('words are searched for from the field of every page, within its policy', async () => {
    const page = await browser.open('/docs/webhooks', { width: 390 })
    await page.getByRole('searchbox', { name: 'Search' }).fill('dead delivery replay')
    await page.keyboard.press('Enter')
    await page.locator('.found').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    if (process.env['PICTURES']) await page.screenshot({ path: `${process.env['PICTURES']}/search-390.png` })
    await page.locator('.found a').first().click()
    await page.waitForURL(/\/docs\/.*#/)
    expect(await faultsOf(page)).toEqual([])
    await page.context().close()
  }, 60_000)
})
