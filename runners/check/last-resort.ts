import { isSearchResultsUrl } from '../../core/check-queue.ts'
import { waitForOf } from '../../schema/monitor/extract-config.ts'
import type { FetchMethod, FetchReason } from '../../schema/run/run.ts'
import type { Browsers } from '../browser/browsers.ts'
import type { RenderRequest } from '../browser/page/rendered.ts'
import type { BodyRoom } from '../fetch/body-room.ts'
import type { Fetched, FetchFailed, FetchRequest } from '../fetch/fetched.ts'
import type { Hold, NoHold, ProxyLayer } from '../fetch/proxy/proxy-layer.ts'
import type { PageTask } from './task.ts'

/** The proxy, for a process whose checks may use it. */
export interface ProxyPort {
  readonly layer: ProxyLayer
  /** Returns the reservation function of the task's team. */
  holdFor(task: Pick<PageTask, 'no' | 'fence'>): Hold
}

/** A result and the layer that gave it. */
export interface Layered {
  readonly method: FetchMethod
  /** Why it is not the first layer; null: it is. */
  readonly reason: FetchReason | null
  readonly fetched: Fetched
}

/** A refused fetch and its layer. */
interface Refused {
  readonly layer: FetchMethod
  readonly reason: FetchReason | null
  readonly fetched: FetchFailed
  /** The request that the layer was given. */
  readonly request: FetchRequest
}

/** Milliseconds for the proxy. Together with the refusal before it, a preview must still answer within 60 s. */
const PROXY_DEADLINE_MS = 25_000
/** The same for a page that is rendered: a site that refuses a browser does so quickly. */
const RENDER_DEADLINE_MS = 40_000

interface LastResort {
  readonly proxy: ProxyPort
  /** Present when the refused layer was a browser: the page is then rendered through the proxy too. */
  readonly browser: Pick<Browsers, 'render'> | null
  readonly signal: AbortSignal
  readonly room: BodyRoom | undefined
}

/**
 * Tries the proxy for a refused check. A page that was to be rendered is rendered: what a site sends before its
 * scripts run is not what the check is compared with. Where the team may not use the proxy, the refusal stays, with a
 * hint where that helps.
 */
export async function byProxy(task: PageTask, refused: Refused, means: LastResort): Promise<Layered> {
  const { layer, reason, fetched } = refused
  const answer = await ask(task, refused, means)
  if (typeof answer !== 'string')
    return { method: 'proxy', reason: 'refused', fetched: answer.ok ? answer : withRetryAfter(answer, fetched) }
  const fault = { ...fetched.fault, message: fetched.fault.message + HINTS[answer] }
  return { method: layer, reason, fetched: { ...fetched, fault } }
}

function ask(
  task: PageTask,
  { fetched, request }: Refused,
  { proxy: { layer, holdFor }, browser, signal, room }: LastResort,
): Promise<Fetched | NoHold> {
  const call = { refusal: fetched.fault.message, hold: holdFor(task), signal, room }
  if (browser === null) return layer.fetch(request, { ...call, team: task.teamKey, deadlineMs: PROXY_DEADLINE_MS })
  const page = renderRequestOf(task)
  const within = { signal, deadlineMs: RENDER_DEADLINE_MS }
  return layer.render((egress) => browser.render(page, { ...within, egress }), call)
}

/** Returns the request that a browser gets for a check. */
export function renderRequestOf(task: PageTask): RenderRequest {
  const { url, headers, extract, visual, teamKey: team, looks = false } = task
  const asked = { url, headers, waitFor: waitForOf(extract), visual, team, ...(looks && { looks }) }
  const without = task.withoutMedia !== undefined && { withoutMedia: true }
  return { ...asked, ...without, unrendered: howUnrendered(task) }
}

/**
 * Returns what a person can set so that the page of a check is not rendered, as an imperative; null: nothing, because
 * the page itself needs it or only a browser gets it.
 */
export function howUnrendered({
  url,
  reason,
  queue,
  extract,
  looks,
}: Pick<PageTask, 'url' | 'reason' | 'queue' | 'extract' | 'looks'>): string | null {
  if (reason !== 'configured' || looks === true || isSearchResultsUrl(url)) return null
  const steps = [
    ...(waitForOf(extract) === null ? [] : ['remove wait_for']),
    ...(queue === 'visual' ? ['disable visual_config'] : []),
    queue === 'visual' ? 'set fetch_mode to auto if it is browser' : 'set fetch_mode to auto',
  ]
  return steps.join(' and ')
}

/** Keeps the site's Retry-After, whatever the result of the proxy. */
function withRetryAfter(failed: FetchFailed, { retryAfterMs }: FetchFailed): FetchFailed {
  return { ...failed, retryAfterMs: Math.max(failed.retryAfterMs ?? 0, retryAfterMs ?? 0) }
}

const HINTS: Readonly<Record<NoHold, string>> = {
  off: ' A team can have such checks tried through a proxy (proxy_enabled in the settings).',
  not_in_plan: '',
  none: '',
  used_up: " The plan's proxyBytesPerMonth is used up, so the proxy was not tried.",
}
