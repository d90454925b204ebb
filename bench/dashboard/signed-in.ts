import type { Browser, BrowserContext } from 'playwright-core'
import { sessionCookieName } from '../../api/auth/sign-in-options.ts'

/** A person who is signed in to the dashboard. */
export interface SignedIn {
  readonly base: string
  readonly token: string
}

/** Opens a browser of a person of its own. */
export async function signedIn(browser: Browser, { base, token }: SignedIn): Promise<BrowserContext> {
  // Playwright waits by code from text, which the policy of the page refuses.
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, bypassCSP: true })
  await context.addCookies([{ name: sessionCookieName(base), value: encodeURIComponent(token), url: base }])
  return context
}
