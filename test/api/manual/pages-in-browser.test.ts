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

describeIf(hasBrowser, 'there is no embedded browser for this platform')(
  'Each page of the documentation, in a browser',
  () => {
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

    test('every page fits a phone, and the page of the API too', async () => {
      const page = await open('/docs', { width: 390 })
      const links: readonly string[] = await page
        .locator('nav a')
        .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
      const wide: string[] = []
      for (const path of [...links, '/docs/api']) {
        await page.goto(base + path)
        if (path === '/docs/api') await page.locator('.opblock').first().waitFor()
        const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
        if (width > 390) wide.push(`${path} ${width}`)
        const picture = process.env['PICTURES']
        if (picture && /api|access|compared|architecture|quickstart/.test(path))
          await page.screenshot({ path: `${picture}/fits${path.replaceAll('/', '-')}.png` })
      }
      expect(links.length).toBeGreaterThan(50)
      expect(wide).toEqual([])
      await context.close()
    }, 240_000)

    test.each([
      [390, false],
      [390, true],
      [1200, false],
    ] as const)('a page at a width of %i, dark %s, fits it and shows no fault', async (width, dark) => {
      for (const path of ['/docs', '/docs/predicates', '/docs/settings', '/docs/webhooks']) {
        const page = await open(path, { width, dark })
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
        expect(await faultsOf(page)).toEqual([])
        const name = `${path.slice(1).replaceAll('/', '-')}-${width}${dark ? '-dark' : ''}`
        if (process.env['PICTURES']) await page.screenshot({ path: `${process.env['PICTURES']}/${name}.png` })
        await context.close()
      }
    })
  },
)
