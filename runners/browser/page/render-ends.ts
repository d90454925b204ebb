import { exchangeFault } from '../../fetch/fetch-faults.ts'
import { BrowserError } from '../browser-error.ts'
import { CRASHED, HEAP_FULL, TOO_MUCH_MEMORY, lateFault } from '../browser-faults.ts'
import type { Navigation } from './navigation.ts'
import { heapOf, type OneBrowser } from '../chromium/one-browser.ts'
import type { OpenPage } from './open-page.ts'
import { failed } from './render-page.ts'
import type { Rendered } from './rendered.ts'

/** Why a render ended before it was done; `died`: the browser did, for whatever reason. */
export type Reason = 'late' | 'aborted' | 'crashed' | 'memory' | 'heap' | 'died'

/** The page did what ends a render by itself. */
export interface PageBroke {
  readonly broke: unknown
}

/** What a render waits for besides its work. */
export interface Ends {
  readonly reason: Promise<Reason>
  watch(opened: OpenPage): void
  /** The work failed by itself: what was behind it. Throws the error again where our own code is wrong. */
  afterError(error: unknown): Promise<Reason> | Reason | PageBroke
  stop(): void
}

/** A process that was killed for its memory is reported as a crash within this time. */
const MEMORY_KILL_MS = 2_000
const LAST_WORDS_MS = 100

function whyCrashed({ memoryKillAt, heapFullAt }: OneBrowser): Reason {
  const since = performance.now() - MEMORY_KILL_MS
  if (memoryKillAt > since) return 'memory'
  return heapFullAt > since ? 'heap' : 'crashed'
}

/** Everything that ends a render before it is done. */
export function whatEnds(browser: OneBrowser, until: number, signal: AbortSignal): Ends {
  const { promise, resolve } = Promise.withResolvers<Reason>()
  const timer = setTimeout(() => resolve('late'), Math.max(0, until - performance.now()))
  const onAbort = (): void => resolve('aborted')
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  let hasCrashed = false
  const onCrash = (): void => {
    hasCrashed = true
    // What the process wrote before it ended comes another way, and may come later.
    setTimeout(() => resolve(whyCrashed(browser)), LAST_WORDS_MS)
  }
  void browser.ended.then(() => resolve('died'))
  return {
    reason: promise,
    watch({ page }) {
      page.once('crash', onCrash)
    },
    afterError(error) {
      if (!hasCrashed && /crashed/i.test(String(error))) onCrash()
      if (hasCrashed) return promise
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
  /** How far it came; undefined: its page was not open yet. */
  readonly navigation: Navigation | undefined
}

/** What it gives then. */
export function ended(
  reason: Exclude<Reason, 'died'>,
  { startedAt, url, processMb, navigation }: EndedRender,
): Rendered {
  switch (reason) {
    case 'late':
      return failed({ startedAt }, lateFault(navigation, url), null)
    case 'aborted':
      return failed({ startedAt }, exchangeFault({ kind: 'aborted' }, url, 0), null)
    case 'crashed':
      return failed({ startedAt }, CRASHED, null)
    case 'heap':
      return failed({ startedAt }, HEAP_FULL(heapOf(processMb)), null)
    case 'memory':
      return failed({ startedAt }, TOO_MUCH_MEMORY(processMb), null)
  }
}
