import type { BrowserContext, BrowserContextOptions, CDPSession, Page } from 'playwright-core'
import type { OneBrowser } from '../chromium/one-browser.ts'
import { type Device, deviceOptions } from './device.ts'
import type { Viewport } from './viewport.ts'

/** A browser context with one page, for one check. */
export interface OpenPage {
  readonly context: BrowserContext
  readonly page: Page
  readonly session: CDPSession
}

const MAJOR = /^\d+/

/** Returns a user agent that names Chromium and Tidemark. */
function userAgent(version: string): string {
  const major = MAJOR.exec(version)?.[0] ?? '0'
  return (
    `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Safari/537.36 ` +
    `Tidemark/0.1`
  )
}

const ownOptions = (viewport: Viewport, version: string): BrowserContextOptions => ({
  userAgent: userAgent(version),
  locale: 'en-US',
  timezoneId: 'UTC',
  viewport,
})

/**
 * Opens one page in a new context (no cookies, cache, permissions, downloads or service workers). Other pages that it
 * opens are closed, and dialogs are dismissed. All its traffic, loopback included, goes to the egress proxy at
 * `server`. Null: to that of the browser.
 */
export async function openPage(
  { playwright }: OneBrowser,
  seen: Viewport | Device,
  server: string | null,
): Promise<OpenPage> {
  const version = playwright.version()
  const context = await playwright.newContext({
    acceptDownloads: false,
    ...(server !== null && { proxy: { server, bypass: '<-loopback>' } }),
    permissions: [],
    serviceWorkers: 'block',
    reducedMotion: 'reduce',
    ...('kind' in seen ? await deviceOptions(seen, version) : ownOptions(seen, version)),
  })
  const page = await context.newPage()
  context.on('page', (other) => void other.close().catch(() => undefined))
  page.on('dialog', (dialog) => void dialog.dismiss().catch(() => undefined))
  const session = await context.newCDPSession(page)
  return { context, page, session }
}
