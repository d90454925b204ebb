import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import type { Viewport } from './viewport.ts'
import type { OneBrowser } from '../chromium/one-browser.ts'

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

/**
 * Opens one page in a new context (no cookies, cache, permissions, downloads or service workers). Other pages that it
 * opens are closed, and dialogs are dismissed. Its traffic goes through the egress proxy's address for its team.
 */
export async function openPage({ playwright, proxy }: OneBrowser, viewport: Viewport, team = ''): Promise<OpenPage> {
  const context = await playwright.newContext({
    acceptDownloads: false,
    ...(team !== '' && { proxy: { server: await proxy.serverFor(team) } }),
    permissions: [],
    serviceWorkers: 'block',
    userAgent: userAgent(playwright.version()),
    locale: 'en-US',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
    viewport,
  })
  const page = await context.newPage()
  context.on('page', (other) => void other.close().catch(() => undefined))
  page.on('dialog', (dialog) => void dialog.dismiss().catch(() => undefined))
  const session = await context.newCDPSession(page)
  return { context, page, session }
}
