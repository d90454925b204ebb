import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeIf } from '../../support/run/skip.ts'
import { faultsOf, hasBrowser, type ManualBrowser, NO_BROWSER, startManualBrowser } from './manual-browser.ts'

describeIf(hasBrowser, NO_BROWSER)('Each page of the documentation, in a browser', () => {
  let browser: ManualBrowser

  beforeAll(async () => {
    browser = await startManualBrowser()
  }, 60_000)
  afterAll(() => browser[Symbol.asyncDispose]())

  test('every page fits a phone, and the page of the API too', async () => {
    const page = await browser.open('/docs', { width: 390 })
    const links: readonly string[] = await page
      .locator('nav a')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
    const wide: string[] = []
    for (const path of [...links, '/docs/api']) {
      await page.goto(browser.base + path)
      if (path === '/docs/api') await page.locator('.opblock').first().waitFor()
      const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
      if (width > 390) wide.push(`${path} ${width}`)
      const picture = process.env['PICTURES']
      if (picture && /api|access|compared|architecture|quickstart/.test(path))
        await page.screenshot({ path: `${picture}/fits${path.replaceAll('/', '-')}.png` })
    }
    expect(links.length).toBeGreaterThan(50)
    expect(wide).toEqual([])
    await page.context().close()
  }, 240_000)

  test.each([
    [390, false],
    [390, true],
    [1200, false],
  ] as const)('a page at a width of %i, dark %s, fits it and shows no fault', async (width, dark) => {
    for (const path of ['/docs', '/docs/predicates', '/docs/settings', '/docs/webhooks']) {
      const page = await browser.open(path, { width, dark })
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
      expect(await faultsOf(page)).toEqual([])
      const name = `${path.slice(1).replaceAll('/', '-')}-${width}${dark ? '-dark' : ''}`
      if (process.env['PICTURES']) await page.screenshot({ path: `${process.env['PICTURES']}/${name}.png` })
      await page.context().close()
    }
  })
})
