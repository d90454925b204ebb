import { exchangeFault } from '../fetch/fetch-faults.ts'
import { BrowserError } from './browser-error.ts'
import { CRASHED, OUT_OF_TIME, TOO_MUCH_MEMORY } from './browser-faults.ts'
import type { OneBrowser } from './one-browser.ts'
import type { OpenPage } from './open-page.ts'
import { failed } from './render-page.ts'
import type { Rendered } from './rendered.ts'

/** Why a render ended before it was done; `died`: the browser did, for whatever reason. */
export type Reason = 'late' | 'aborted' | 'crashed' | 'memory' | 'died'

/** The page did what ends a render by itself. */
export interface PageBroke {
  readonly broke: unknown
}

/** What a render waits for besides its work. */
export interface Ends {
  readonly reason: Promise<Reason>
  watch(opened: OpenPage): void
  /** The work failed by itself: what was behind it. Throws the error again where our own code is wrong. */
  afterError(error: unknown): Reason | PageBroke
  stop(): void
}

/** A process that was killed for its memory is reported as a crash within this time. */
const MEMORY_KILL_MS = 2_000

/** Everything that ends a render before it is done. */
export function whatEnds(browser: OneBrowser, until: number, signal: AbortSignal): Ends {
  const { promise, resolve } = Promise.withResolvers<Reason>()
  const timer = setTimeout(() => resolve('late'), Math.max(0, until - performance.now()))
  const onAbort = (): void => resolve('aborted')
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  const crash = (): Reason => (performance.now() - browser.memoryKillAt < MEMORY_KILL_MS ? 'memory' : 'crashed')
  let hasCrashed = false
  void browser.ended.then(() => resolve('died'))
  return {
    reason: promise,
    watch({ page }) {
      page.once('crash', () => {
        hasCrashed = true
        resolve(crash())
      })
    },
    afterError(error) {
      if (hasCrashed || /crashed/i.test(String(error))) return crash()
      if (browser.isGone || !browser.playwright.isConnected()) return 'died'
      if (isBug(error)) throw error
      return { broke: error }
    },
    stop() {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    },
  }
}

/** What Playwright rejects with is a plain `Error`, or one of its own; these come from code. */
function isBug(error: unknown): boolean {
  return [BrowserError, TypeError, RangeError, ReferenceError, SyntaxError].some((kind) => error instanceof kind)
}

export interface EndedRender {
  readonly startedAt: number
  readonly url: URL
  readonly processMb: number
}

/** What it gives then. */
export function ended(reason: Exclude<Reason, 'died'>, { startedAt, url, processMb }: EndedRender): Rendered {
  switch (reason) {
    case 'late':
      return failed({ startedAt }, OUT_OF_TIME(url.host), null)
    case 'aborted':
      return failed({ startedAt }, exchangeFault({ kind: 'aborted' }, url, 0), null)
    case 'crashed':
      return failed({ startedAt }, CRASHED, null)
    case 'memory':
      return failed({ startedAt }, TOO_MUCH_MEMORY(processMb), null)
  }
}
