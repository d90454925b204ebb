import type { Page, Request } from 'playwright-core'
import { sleep } from '../../../concurrency/loops/sleep.ts'
import type { PageState, PageView } from './page-view.ts'

interface RestTimes {
  /** The page is at rest when nothing is loaded and nothing changes for this long. */
  readonly quietMs: number
  /**
   * Where something is always being loaded (polling, a stuck font), it is enough that nothing changes for this long.
   */
  readonly stableMs: number
  /** The longest wait after the document arrived. */
  readonly mostMs: number
}

export const REST_TIMES: RestTimes = { quietMs: 500, stableMs: 2_000, mostMs: 12_000 }

const POLL_MS = 50

/** The requests of a page, from before its first one on. */
export interface Traffic {
  /** Running requests. */
  readonly underWay: number
  /** `performance.now()` when `underWay` last changed. */
  readonly lastChange: number
}

/** Counts a page's running requests. Streams that stay open by design are not counted. */
export function watchTraffic(page: Page): Traffic {
  const open = new Set<Request>()
  const traffic = { underWay: 0, lastChange: performance.now() }
  const changed = (): void => {
    traffic.underWay = open.size
    traffic.lastChange = performance.now()
  }
  page.on('request', (request) => {
    const type = request.resourceType()
    if (type === 'eventsource' || type === 'websocket' || type === 'ping' || type === 'media') return
    open.add(request)
    changed()
  })
  const closed = (request: Request): void => {
    if (open.delete(request)) changed()
  }
  page.on('requestfinished', closed)
  page.on('requestfailed', closed)
  return traffic
}

/**
 * Resolves when the page is at rest: its document is complete, and for half a second nothing was loaded and nothing
 * changed. While something is always being loaded, two seconds without a change are enough. It also resolves after
 * twelve seconds. A page without scripts is at rest when it has loaded. Rejects when the page is gone.
 */
export async function untilRest(view: PageView, traffic: Traffic, times: RestTimes = REST_TIMES): Promise<void> {
  const startedAt = performance.now()
  let mutations = -1
  let stillSince = startedAt
  for (;;) {
    const state = await view.state()
    const now = performance.now()
    if (state === null || state.mutations !== mutations) {
      mutations = state?.mutations ?? -1
      stillSince = now
    }
    if (state !== null && isAtRest(state, traffic, { now, stillMs: now - stillSince }, times)) return
    if (now - startedAt >= times.mostMs) return
    await sleep(POLL_MS)
  }
}

/**
 * Resolves when an element of the document matches the selector (`shown`), or after so many milliseconds (`never`).
 * `unknown`: the browser does not know the selector. Elements in shadow roots and frames do not count.
 */
export async function untilShown(
  view: PageView,
  selector: string,
  mostMs: number,
): Promise<'shown' | 'never' | 'unknown'> {
  const until = performance.now() + mostMs
  for (;;) {
    const asked = await view.ask(`document.querySelector(${JSON.stringify(selector)}) !== null`)
    if (asked.kind === 'threw') return 'unknown'
    if (asked.kind === 'value' && asked.value === true) return 'shown'
    if (performance.now() >= until) return 'never'
    await sleep(POLL_MS)
  }
}

interface Moment {
  readonly now: number
  /** How long nothing has changed. */
  readonly stillMs: number
}

function isAtRest(state: PageState, traffic: Traffic, { now, stillMs }: Moment, times: RestTimes): boolean {
  // A document that a script reopened and never closed is never parsed to its end, although nothing is being loaded.
  if ((state.isParsed || traffic.underWay === 0) && stillMs >= times.stableMs) return true
  if (!state.isLoaded || traffic.underWay > 0) return false
  return !state.hasScripts || (now - traffic.lastChange >= times.quietMs && stillMs >= times.quietMs)
}
