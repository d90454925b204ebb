import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import type { Viewport } from './viewport.ts'
import type { OneBrowser } from '../chromium/one-browser.ts'

/** A context and its one page, alone with one check. */
export interface OpenPage {
  readonly context: BrowserContext
  readonly page: Page
  readonly session: CDPSession
}

const MAJOR = /^\d+/

/** Says that it is a Chromium, and ours. */
export function userAgent(version: string): string {
  const major = MAJOR.exec(version)?.[0] ?? '0'
  return (
    `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Safari/537.36 ` +
    `Tidemark/0.1`
  )
}

/**
 * A fresh context (no cookies, no cache, no permissions, no downloads, no service workers) with one page in it. What a
 * page opens besides is closed; what it asks is dismissed.
 */
export async function openPage({ playwright }: OneBrowser, viewport: Viewport): Promise<OpenPage> {
  const context = await playwright.newContext({
    acceptDownloads: false,
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
