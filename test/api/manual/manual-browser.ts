import type { Page } from 'playwright-core'
import { createTestApi, type TestApi } from '../../support/api/test-api.ts'
import { startTestBrowser } from '../../support/browser/test-browser.ts'

export const hasBrowser = process.platform === 'linux' && process.arch === 'x64'
export const NO_BROWSER = 'there is no embedded browser for this platform'

const COLLECT = `
  const faults = (globalThis.faults = [])
  document.addEventListener('securitypolicyviolation', (event) =>
    faults.push([event.violatedDirective, event.blockedURI, event.sample].join(' ')))
  addEventListener('error', (event) => faults.push(event.message))`

/** What the browser refused, and what it complained of, in order. */
export const faultsOf = (page: Page): Promise<readonly string[]> => page.evaluate('faults')

/** An API with its documentation, and a browser that opens pages of it. */
export interface ManualBrowser extends AsyncDisposable {
  readonly api: TestApi
  /** The address of the API. */
  readonly base: string
  /** Opens a page in a context of its own, which the caller closes. */
  open(path: string, how: { readonly width: number; readonly dark?: boolean }): Promise<Page>
}

export async function startManualBrowser(): Promise<ManualBrowser> {
  const api = await createTestApi()
  const base = await api.listen()
  const browser = await startTestBrowser()
  return {
    api,
    base,
    async open(path, { width, dark = false }) {
      const context = await browser.playwright.newContext({
        viewport: { width, height: 900 },
        colorScheme: dark ? 'dark' : 'light',
      })
      await context.addInitScript(COLLECT)
      const page = await context.newPage()
      await page.goto(base + path)
      return page
    },
    async [Symbol.asyncDispose]() {
      await browser[Symbol.asyncDispose]()
      await api.close()
    },
  }
}
