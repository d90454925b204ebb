import { Gauge, type Registry } from 'prom-client'
import type { Logger } from '../../core/logger.ts'
import type { EgressPolicy } from '../../egress/policy.ts'
import { type Browsers, createBrowsers } from '../../runners/browser/browsers.ts'
import type { Settings } from '../settings/read-config.ts'

interface BrowserContext {
  readonly settings: Pick<
    Settings,
    | 'CHROMIUM_PATH'
    | 'TIDEMARK_DATA_DIR'
    | 'TIDEMARK_BROWSER_PAGES'
    | 'TIDEMARK_CHROMIUM_SANDBOX'
    | 'TIDEMARK_BROWSER_SOCKET'
  >
  /** Where it is counted whether browsers have their sandbox. */
  readonly registry?: Registry
  /** Called with each browser that was started. */
  readonly onSandbox?: (isSandboxed: boolean) => void
  readonly egress: EgressPolicy
  readonly log: Logger
}

/**
 * Returns the browser of this process; null when it renders nothing. The browser does not start before the first page.
 */
export function browsersOf({ settings, egress, log, registry, onSandbox }: BrowserContext): Browsers | null {
  if (settings.TIDEMARK_BROWSER_PAGES === 0) return null
  return createBrowsers({
    egress,
    log,
    path: settings.CHROMIUM_PATH ?? null,
    dataDir: settings.TIDEMARK_DATA_DIR,
    pages: settings.TIDEMARK_BROWSER_PAGES,
    socket: settings.TIDEMARK_BROWSER_SOCKET ?? null,
    sandbox: settings.TIDEMARK_CHROMIUM_SANDBOX,
    onSandbox(isSandboxed) {
      if (registry) showSandbox(registry, isSandboxed)
      onSandbox?.(isSandboxed)
    },
  })
}

/** Shows it in the gauge, which exists from the first browser on: before that nothing is known. */
export function showSandbox(registry: Registry, isSandboxed: boolean): void {
  const gauge =
    (registry.getSingleMetric(SANDBOXED) as Gauge | undefined) ??
    new Gauge({
      name: SANDBOXED,
      help:
        'Whether browsers have their own sandbox, 1 or 0: those of this process, or those of the runner that handed ' +
        'a rendered page in last. Absent before the first one.',
      registers: [registry],
    })
  gauge.set(isSandboxed ? 1 : 0)
}

const SANDBOXED = 'tidemark_browser_sandboxed'
