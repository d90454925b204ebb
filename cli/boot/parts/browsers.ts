import type { Logger } from '../../../core/logger.ts'
import { type Browsers, createBrowsers } from '../../../runners/browser/browsers.ts'
import type { EgressPolicy } from '../../../egress/policy.ts'
import type { Settings } from '../settings/read-config.ts'

interface BrowserContext {
  readonly settings: Pick<Settings, 'CHROMIUM_PATH' | 'TIDEMARK_DATA_DIR' | 'TIDEMARK_BROWSER_PAGES'>
  readonly egress: EgressPolicy
  readonly log: Logger
}

/**
 * Returns the browser of this process; null when it renders nothing. The browser does not start before the first page.
 */
export function browsersOf({ settings, egress, log }: BrowserContext): Browsers | null {
  if (settings.TIDEMARK_BROWSER_PAGES === 0) return null
  return createBrowsers({
    egress,
    log,
    path: settings.CHROMIUM_PATH ?? null,
    dataDir: settings.TIDEMARK_DATA_DIR,
    pages: settings.TIDEMARK_BROWSER_PAGES,
  })
}
