import { exchangeFault } from '../../fetch/fetch-faults.ts'
import type { FetchFailed } from '../../fetch/fetched.ts'
import { BrowserError } from '../browser-error.ts'
import { CRASHED, HEAP_FULL, TOO_MUCH_MEMORY, TOO_MUCH_WORK, lateFault } from '../browser-faults.ts'
import { heapOf, type OneBrowser, type WorkLimits } from '../chromium/one-browser.ts'
import type { Navigation } from './navigation.ts'
import type { OpenPage } from './open-page.ts'
import { failed } from './render-page.ts'
import type { RenderRequest } from './rendered.ts'

/** Why a render ended early. `died`: the browser ended, for whatever reason. */
type Reason = 'late' | 'aborted' | 'crashed' | 'memory' | 'heap' | 'work' | 'died'

/** The page itself made the render fail. */
interface PageBroke {
  readonly broke: unknown
}

/** Everything that can end a render early. */
interface Ends {
  readonly reason: Promise<Reason>
  watch(opened: OpenPage): void
  /** Returns the cause when the work itself failed. Throws the error again when it is a bug in Tidemark. */
  afterError(error: unknown): Promise<Reason> | Reason | PageBroke
  stop(): void
}

/** A process that was killed for what it used is reported as a crash within this time. */
const KILL_MS = 2_000
const LAST_OUTPUT_MS = 100

function whyCrashed({ memoryKillAt, heapFullAt, workKillAt }: OneBrowser): Reason {
  const since = performance.now() - KILL_MS
  if (memoryKillAt > since) return 'memory'
  if (workKillAt > since) return 'work'
  return heapFullAt > since ? 'heap' : 'crashed'
}

/** Watches for everything that ends a render early. */
export function whatEnds(browser: OneBrowser, until: number, signal: AbortSignal): Ends {
  const { promise, resolve } = Promise.withResolvers<Reason>()
  const timer = setTimeout(() => resolve('late'), Math.max(0, until - performance.now()))
  const onAbort = (): void => resolve('aborted')
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  let hasCrashed = false
  const onCrash = (): void => {
    hasCrashed = true
    // The process's last output arrives on another pipe, possibly later.
    setTimeout(() => resolve(whyCrashed(browser)), LAST_OUTPUT_MS)
  }
  const whyDied = (): Reason => (browser.workKillAt > performance.now() - KILL_MS ? 'work' : 'died')
  void browser.ended.then(() => resolve(whyDied()))
  return {
    reason: promise,
    watch({ page }) {
      page.once('crash', onCrash)
    },
    afterError(error) {
      if (!hasCrashed && /crashed/i.test(String(error))) onCrash()
      if (hasCrashed) return promise
      if (browser.isGone || !browser.playwright.isConnected()) return whyDied()
      if (isBug(error)) throw error
      return { broke: error }
    },
    stop() {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    },
  }
}

/**
 * Returns whether an error is a bug. Playwright rejects with a plain `Error` or its own class; these classes come from
 * code.
 */
function isBug(error: unknown): boolean {
  return [BrowserError, TypeError, RangeError, ReferenceError, SyntaxError].some((kind) => error instanceof kind)
}

interface EndedRender {
  readonly startedAt: number
  readonly url: URL
  readonly unrendered: RenderRequest['unrendered']
  readonly processMb: number
  readonly work: WorkLimits
  /** How far it came; undefined: its page was not open yet. */
  readonly navigation: Navigation | undefined
}

/** Returns the result of a render that ended early. */
export function ended(
  reason: Exclude<Reason, 'died'>,
  { startedAt, url, unrendered, processMb, work, navigation }: EndedRender,
): FetchFailed {
  const status = navigation?.answer?.status() ?? null
  switch (reason) {
    case 'late':
      return failed({ startedAt }, lateFault(navigation, url), status)
    case 'aborted':
      return failed({ startedAt }, exchangeFault({ kind: 'aborted' }, url, 0), null)
    case 'crashed':
      return failed({ startedAt }, CRASHED(unrendered), status)
    case 'heap':
      return failed({ startedAt }, HEAP_FULL(heapOf(processMb)), status)
    case 'work':
      return failed({ startedAt }, TOO_MUCH_WORK(work, unrendered), status)
    case 'memory':
      return failed({ startedAt }, TOO_MUCH_MEMORY(processMb), status)
  }
}
