import { withTimeout } from '../../../concurrency/loops/retry.ts'
import type { Logger } from '../../../core/logger.ts'
import { BrowserError } from '../browser-error.ts'
import type { OpenPage } from '../page/open-page.ts'
import { type BrowserSetup, NoSandboxError, type OneBrowser, startBrowser } from './one-browser.ts'

export interface BrowserPoolOptions extends BrowserSetup {
  readonly log: Logger
  /**
   * `auto`: where the kernel does not allow browsers their own sandbox, they run without. Then each page has its own
   * browser.
   */
  readonly sandbox: 'required' | 'auto'
  /** Called with each browser that was started. */
  readonly onSandbox?: (isSandboxed: boolean) => void
  /**
   * When a browser is replaced: after this many pages (default 200), after this many milliseconds (default 30 minutes),
   * or above this many megabytes (default 2,048).
   */
  readonly recycle?: { readonly pages?: number; readonly ageMs?: number; readonly megabytes?: number }
}

/** A browser and the number of its pages. */
interface BrowserLease {
  readonly browser: OneBrowser
  open: number
  served: number
  isRetired: boolean
}

/** Provides the browser for new pages. A retired browser ends when its last page is closed. */
export interface BrowserPool {
  /**
   * Returns a browser, and starts one when none is usable. Rejects with a `BrowserError`. Call `leave` for each browser
   * taken.
   */
  take(): Promise<BrowserLease>
  /** Closes the page. A browser whose page does not close is ended. Never rejects. */
  leave(one: BrowserLease, opened: OpenPage | undefined): Promise<void>
  current(): OneBrowser | null
  close(): Promise<void>
}

/** A page that does not close within this time is in a browser that hangs. */
const CLOSE_MS = 5_000
/** After a failed start, the next start is tried no sooner than this. */
const START_PAUSE_MS = 5_000

export function createBrowserPool(options: BrowserPoolOptions): BrowserPool {
  const { log } = options
  const tenancies = new Set<BrowserLease>()
  let current: Promise<BrowserLease> | null = null
  let lastFault: { readonly error: BrowserError; readonly at: number } | null = null
  let isClosed = false
  const starter = createStarter(options)

  async function usable(): Promise<BrowserLease> {
    for (;;) {
      // One page alone gets it.
      if (!starter.isSandboxed) return fresh()
      const awaited = current
      const known = await awaited?.catch(() => null)
      if (known && isUsable(known, options)) return known
      if (!starter.isSandboxed) return fresh()
      // Another page may have begun a start while this one waited.
      if (awaited !== current) continue
      if (known) retire(known)
      current = fresh()
      return current
    }
  }

  async function fresh(): Promise<BrowserLease> {
    if (lastFault !== null && performance.now() - lastFault.at < START_PAUSE_MS) throw lastFault.error
    return start()
  }

  async function start(): Promise<BrowserLease> {
    try {
      const browser = await starter.start()
      const made: BrowserLease = { browser, open: 0, served: 0, isRetired: isClosed || !starter.isSandboxed }
      tenancies.add(made)
      if (isClosed) browser.kill()
      void browser.ended.then(() => tenancies.delete(made))
      log.info({ version: browser.playwright.version(), browser_pid: browser.pid }, 'a browser was started')
      return made
    } catch (error) {
      const text = 'The browser does not start; the log has the details.'
      const known = error instanceof BrowserError ? error : new BrowserError(text)
      log.error({ err: error }, 'the browser does not start')
      lastFault = { error: known, at: performance.now() }
      throw known
    }
  }

  return {
    async take() {
      const one = await usable()
      one.open += 1
      one.served += 1
      one.browser.showsNow(one.open)
      return one
    },
    async leave(one, opened) {
      const closed = one.browser.isGone || (await closesInTime(opened))
      one.open -= 1
      one.browser.showsNow(one.open)
      if (!closed) {
        log.warn({ browser_pid: one.browser.pid }, 'a page does not close; the browser is replaced')
        one.isRetired = true
        one.browser.kill()
      } else if (one.isRetired) retire(one)
    },
    current: () => [...tenancies].find((one) => isUsable(one, options))?.browser ?? null,
    async close() {
      isClosed = true
      await current?.catch(() => undefined)
      const all = [...tenancies]
      for (const { browser } of all) browser.kill()
      await Promise.all(all.map(({ browser }) => browser.ended))
    },
  }
}

/** Starts browsers, with their sandbox until it is seen that there is none. */
function createStarter(options: BrowserPoolOptions) {
  const { sandbox, onSandbox, log } = options
  let isSandboxed = true

  async function started(): Promise<OneBrowser> {
    const wanted = isSandboxed
    try {
      return await startBrowser(options, wanted)
    } catch (error) {
      if (!(error instanceof NoSandboxError) || sandbox === 'required' || !wanted) throw error
      isSandboxed = false
      log.warn(
        'BROWSERS RUN WITHOUT THEIR SANDBOX: the seccomp profile of the container or the kernel refuses user ' +
          'namespaces. Each check gets a browser of its own. docs/runners.md says how to allow the sandbox.',
      )
      return startBrowser(options, false)
    }
  }

  return {
    get isSandboxed() {
      return isSandboxed
    },
    async start(): Promise<OneBrowser> {
      const browser = await started()
      onSandbox?.(isSandboxed)
      return browser
    },
  }
}

function isUsable({ browser, served, isRetired }: BrowserLease, { recycle = {} }: BrowserPoolOptions): boolean {
  const { pages = 200, ageMs = 1_800_000, megabytes = 2_048 } = recycle
  const isOld = served >= pages || performance.now() - browser.startedAt > ageMs || browser.megabytes > megabytes
  // Something of a page that did too much may be left in it.
  if (browser.workKillAt > -Infinity) return false
  return !isRetired && !browser.isGone && browser.playwright.isConnected() && !isOld
}

/** Gives the browser no more pages. It ends when the last one is closed. */
function retire(one: BrowserLease): void {
  one.isRetired = true
  if (one.open === 0) one.browser.kill()
}

async function closesInTime(opened: OpenPage | undefined): Promise<boolean> {
  if (opened === undefined) return false
  const closed = opened.context.close().catch(() => {})
  return withTimeout(
    closed.then(() => true),
    CLOSE_MS,
    () => false,
  )
}
