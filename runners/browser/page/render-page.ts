import type { Response } from 'playwright-core'
import { retryAfterMs } from '../../../core/retry-after.ts'
import type { EgressProxy } from '../../../egress/egress-proxy.ts'
import { portOf } from '../../../egress/target-url.ts'
import type { RunFault } from '../../../schema/run/run-fault.ts'
import { mediaType } from '../../extract/text/page-kind.ts'
import { EMPTY_BODY, blockedFault, statusFault, tooLarge } from '../../fetch/fetch-faults.ts'
import { FETCH_LIMITS } from '../../fetch/fetch-limits.ts'
import type { FetchFailed } from '../../fetch/fetched.ts'
import { bodyHash, isChallengeHeader, isChallengePage } from '../../fetch/settle.ts'
import {
  DOWNLOAD,
  LEFT_OPEN,
  NEVER_SHOWN,
  NO_SELECTOR,
  PDF,
  UNFINISHED,
  UNSTABLE,
  lateFault,
  navigationFault,
  netErrorOf,
  pageFault,
} from '../browser-faults.ts'
import { holdStill, seePage } from '../look/look-page.ts'
import { capture } from './capture.ts'
import { isLeft, type Navigation } from './navigation.ts'
import type { OpenPage } from './open-page.ts'
import { changeRequests } from './page-requests.ts'
import { REST_TIMES, untilRest, untilShown, watchTraffic, type Traffic } from './page-rest.ts'
import { createPageView, type PageView } from './page-view.ts'
import type { Rendered, RenderRequest } from './rendered.ts'

/** One running render. */
interface Rendering {
  readonly request: RenderRequest
  readonly url: URL
  readonly egress: EgressProxy
  readonly opened: OpenPage
  readonly navigation: Navigation
  readonly startedAt: number
  /** When its time is over, by the same clock. */
  readonly until: number
}

/** Milliseconds until the document begins. A server that is silent for longer blocks a slot that others wait for. */
const NAVIGATION_MS = 15_000
/** The longest wait for what a monitor waits for. */
const WAIT_FOR_MS = 20_000
const AFTER_SHOWN = { ...REST_TIMES, mostMs: 5_000 }
const MAX_BODY = FETCH_LIMITS.maxBodyBytes

/**
 * Navigates to the page, waits until it is at rest and reads what the request asks for. Rejects when the page or the
 * browser goes away before that.
 */
export async function renderPage(rendering: Rendering): Promise<Rendered> {
  const { request, url, opened, navigation } = rendering
  const traffic = watchTraffic(opened.page)
  const { headers, withoutMedia = false } = request
  const changed = await changeRequests(opened.session, url, { headers, withoutMedia })
  const fault = await goTo(rendering)
  if (fault) return failed(rendering, fault, navigation.answer?.status() ?? null)
  const rendered = await settle(rendering, traffic)
  if (!rendered.ok || !withoutMedia) return rendered
  const isLost = changed.asksForMany || navigation.requests > MOST_DOCUMENTS || handlesErrors(rendered.body)
  return isLost ? { ...rendered, missesMedia: true } : rendered
}

/** Redirects and a page that loads itself again. A page that goes on doing so may wait for its images. */
const MOST_DOCUMENTS = 6

/** Returns whether something of a page says what happens when it cannot be loaded, as images of shops do. */
const handlesErrors = (body: Uint8Array): boolean =>
  Buffer.from(body.buffer, body.byteOffset, body.length).includes('onerror')

/** The part of a render that going to an address needs. */
interface Going extends Pick<Rendering, 'url' | 'egress' | 'opened' | 'navigation'> {
  readonly request: Pick<RenderRequest, 'unrendered'>
  readonly referer?: string
}

/** Goes to an address. Returns why that failed; null: the document has begun. */
export async function goTo(rendering: Going): Promise<RunFault | null> {
  const { url, opened, navigation, referer } = rendering
  try {
    const from = referer === undefined ? {} : { referer }
    await opened.page.goto(url.href, { waitUntil: 'commit', timeout: NAVIGATION_MS, ...from })
    return null
  } catch (error) {
    const text = error instanceof Error ? error.message : ''
    const asked = URL.parse(navigation.asked) ?? url
    if (/Download is starting/.test(text)) return downloadFault(rendering, asked)
    if (/Timeout \d+ms exceeded/.test(text)) return lateFault(navigation, url)
    const netError = netErrorOf(error)
    if (netError === '') throw error
    if (netError === 'ERR_ABORTED') return abortedFault(rendering, asked)
    return faultOf(rendering, netError)
  }
}

/** Returns why the last navigation failed. The egress guard knows more about it than Chromium does. */
function faultOf({ url, egress, navigation }: Going, netError: string): RunFault {
  const asked = URL.parse(navigation.asked) ?? url
  const refused = egress.failureOf({ host: asked.hostname, port: portOf(asked) })
  return navigationFault(netError, asked.host, refused)
}

/** Chromium aborts navigations with nothing to show: 204, 205 and downloads. */
function abortedFault(rendering: Going, asked: URL): RunFault {
  const { answer } = rendering.navigation
  const status = answer?.status() ?? 0
  if (status === 204 || status === 205) return EMPTY_BODY
  return answer === null ? navigationFault('ERR_ABORTED', asked.host, null) : downloadFault(rendering, asked)
}

function downloadFault({ request: { unrendered }, navigation: { answer } }: Going, asked: URL): RunFault {
  const type = answer?.headers()['content-type'] ?? ''
  const isPdf = answer === null ? /\.pdf$/i.test(asked.pathname) : mediaType(type) === 'application/pdf'
  return isPdf ? PDF(unrendered) : DOWNLOAD(unrendered)
}

async function settle(rendering: Rendering, traffic: Traffic): Promise<Rendered> {
  const { navigation } = rendering
  const view = createPageView(rendering.opened.session)
  await untilRest(view, traffic)
  const absent = await waitedFor(rendering, view, traffic)
  if (absent) return failed(rendering, absent, navigation.last?.status() ?? null)
  const state = await view.state()
  const isOpen = state !== null && !state.isParsed
  return readPage(rendering, { view, isOpen, isUnfinished: isOpen && traffic.underWay > 0 })
}

interface AtRest {
  readonly view: PageView
  /** The document was not parsed to its end. */
  readonly isOpen: boolean
  /** … and more of it is being loaded. */
  readonly isUnfinished: boolean
}

async function readPage(rendering: Rendering, { view, isOpen, isUnfinished }: AtRest): Promise<Rendered> {
  const { navigation } = rendering
  const { host } = rendering.url
  if (isUnfinished) return failed(rendering, UNFINISHED(host), navigation.last?.status() ?? null)
  if (navigation.excess !== null) return failed(rendering, tooLarge('decoded', navigation.excess), null)
  const { refusal: refused } = navigation
  if (refused !== null) return failed(rendering, faultOf(rendering, refused), null)
  const { last } = navigation
  if (last === null) return failed(rendering, navigationFault('ERR_ABORTED', host, null), null)
  const status = last.status()
  const looks = rendering.request.looks === true && isHtml(last)
  if (looks) await holdStill({ session: rendering.opened.session, view })
  const read = await bodyOf(last, view, host)
  if (!read.ok) return failed(rendering, read.fault, status)
  const { body } = read
  if (status < 200 || status > 299) return refusal(rendering, last, body)
  if (body.length === 0) return failed(rendering, isLeft(navigation, last) ? UNSTABLE(host) : EMPTY_BODY, status)
  return renderedBody(rendering, { last, body, view, warnings: isOpen ? [LEFT_OPEN] : [] })
}

/**
 * Waits for what the monitor says has to be on its page, at most for half of the time that is left, so that the rest
 * suffices to read it. A page without it is not read, because half a page would look like a change. An error page and
 * an answer that is not HTML are not waited for.
 */
async function waitedFor(rendering: Rendering, view: PageView, traffic: Traffic): Promise<RunFault | null> {
  const { request, navigation, until, url } = rendering
  const { waitFor = null } = request
  if (waitFor === null || !isWaitedFor(navigation)) return null
  const ms = Math.min(WAIT_FOR_MS, Math.max(0, (until - performance.now()) / 2))
  const shown = await untilShown(view, waitFor, ms)
  if (shown === 'unknown') return NO_SELECTOR(waitFor)
  if (shown === 'never') return NEVER_SHOWN(url.host, waitFor, ms)
  await untilRest(view, traffic, AFTER_SHOWN)
  return null
}

function isWaitedFor({ last, excess, refusal: refused }: Navigation): boolean {
  if (last === null || excess !== null || refused !== null || !isHtml(last)) return false
  const status = last.status()
  return status >= 200 && status <= 299
}

interface Document {
  readonly last: Response
  readonly body: Uint8Array
  readonly view: PageView
  readonly warnings: readonly string[]
}

async function renderedBody(rendering: Rendering, { last, body, view, warnings }: Document): Promise<Rendered> {
  const { request, url, opened, startedAt } = rendering
  const looks = request.looks === true && isHtml(last)
  const seen = looks ? await seePage({ page: opened.page, session: opened.session, view }, body) : null
  const captured = { page: opened.page, view, host: url.host }
  const pictures = request.visual?.enabled === true ? await capture(captured, request.visual) : null
  if (pictures !== null && !pictures.ok) return failed(rendering, pictures.fault, last.status())
  const finalUrl = last.url()
  return {
    ok: true,
    kind: 'body',
    status: last.status(),
    finalUrl,
    redirected: finalUrl !== url.href,
    contentType: isHtml(last) ? 'text/html; charset=utf-8' : (last.headers()['content-type'] ?? null),
    etag: null,
    lastModified: null,
    body,
    bodyHash: bodyHash(body),
    wireBytes: body.length,
    durationMs: Math.round(performance.now() - startedAt),
    link: null,
    shots: pictures?.shots ?? [],
    ...(seen && { seen }),
    warnings: [...warnings, ...(pictures?.warnings ?? [])],
  }
}

const SKELETON = '<html><head></head><body></body></html>'

type BodyResult = { readonly ok: true; readonly body: Uint8Array } | { readonly ok: false; readonly fault: RunFault }

/** Returns the current document, or the body as sent when it is not HTML: Chromium's view of JSON or XML is its own. */
export async function bodyOf(last: Response, view: PageView, host: string): Promise<BodyResult> {
  if (!isHtml(last)) return bounded(await sentBy(last))
  const asked = await view.html(MAX_BODY)
  if (asked.kind === 'replaced') return { ok: false, fault: UNSTABLE(host) }
  if (asked.kind === 'threw') return { ok: false, fault: pageFault(asked.message, host) }
  // Chromium shows an empty document like this; only the response body says whether it was empty.
  if (asked.value === SKELETON && (await wasEmpty(last))) return { ok: true, body: Buffer.alloc(0) }
  return bounded(typeof asked.value === 'string' ? Buffer.from(asked.value, 'utf8') : null)
}

/** Returns the body of a response. It may already be gone; then it counts as empty. */
function sentBy(last: Response): Promise<Uint8Array> {
  return last.body().catch(() => Buffer.alloc(0))
}

function wasEmpty(last: Response): Promise<boolean> {
  return last.text().then(
    (sent) => sent.trim() === '',
    () => false,
  )
}

function bounded(body: Uint8Array | null): BodyResult {
  if (body === null || body.length > MAX_BODY) return { ok: false, fault: tooLarge('decoded', MAX_BODY) }
  return { ok: true, body }
}

function isHtml(response: Response): boolean {
  const type = response.headers()['content-type'] ?? 'text/html'
  return /^\s*(?:text\/html|application\/xhtml\+xml)/i.test(type)
}

/** Decides by the response of the last document: a challenge that the browser passed does not count. */
function refusal(rendering: Rendering, last: Response, body: Uint8Array): FetchFailed {
  const status = last.status()
  const headers = last.headers()
  const host = URL.parse(last.url())?.host ?? rendering.url.host
  const isChallenge = isChallengeHeader(headers) || ((status === 403 || status === 503) && isChallengePage(body))
  const wait = status === 429 || status === 503 ? retryAfterMs(headers['retry-after'], Date.now()) : null
  const isRefusal = isChallenge || status === 401 || status === 403 || status === 429
  const fault = isRefusal ? blockedFault(status, host, 'browser', isChallenge) : statusFault(status, host)
  return { ...failed(rendering, fault, status), retryAfterMs: wait }
}

/** Returns the result of a failed render. */
export function failed(
  { startedAt }: Pick<Rendering, 'startedAt'>,
  fault: RunFault,
  status: number | null,
): FetchFailed {
  return { ok: false, fault, status, retryAfterMs: null, durationMs: Math.round(performance.now() - startedAt) }
}
