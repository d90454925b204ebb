import type { Whose } from '../../../concurrency/threads/thread.ts'
import type { Pagination } from '../../../schema/monitor/request-config.ts'
import type { RunFault } from '../../../schema/run/run-fault.ts'
import { fetchClock, LARGE_BODY_BYTES } from '../body-room.ts'
import { FETCH_DEADLINE_MS, FETCH_LIMITS, PAGES_DEADLINE_MS, type FetchLimits } from '../fetch-limits.ts'
import type { Fetched, FetchedBody, FetchFailed, FetchPorts, FetchRequest } from '../fetched.ts'
import { bodyHash } from '../settle.ts'
import { fetchStatic } from '../static-fetch.ts'
import { nextLink } from './link-next.ts'
import { pathsOf, type PageFacts } from './page-facts.ts'
import type { PageReader } from './page-reader.ts'
import { pageFault, pagesTooLarge, pagesTooSlow } from './paging-faults.ts'
import { beginPaging, nextStep, type PageRequest, type Paging } from './paging.ts'

/**
 * What a paged fetch depends on. `deadlineMs` and `limits` are for all pages together; the default deadline is 45 s.
 */
export interface PagesPorts extends FetchPorts {
  readonly pages: PageReader
}

/** A running fetch of a list: the pages read so far, and the limits for all of them. */
interface FetchContext {
  readonly request: FetchRequest
  readonly ports: PagesPorts
  readonly limits: FetchLimits
  readonly deadlineMs: number
  readonly startedAt: number
  readonly read: FetchedPage[]
}

interface FetchedPage {
  readonly fetched: FetchedBody
  readonly facts: PageFacts
  readonly bodyBytes: number
}

const EMPTY = new Uint8Array(0)

/**
 * Fetches all pages of a list as one response: the first page, whose items are replaced with the items of all pages.
 * Returns all of it or a failure that names its page. Each page is fetched by `fetchStatic`, including the egress guard
 * and redirects. Never rejects.
 */
export async function fetchPages(request: FetchRequest, pagination: Pagination, ports: PagesPorts): Promise<Fetched> {
  const context: FetchContext = {
    request,
    ports,
    limits: ports.limits ?? FETCH_LIMITS,
    deadlineMs: ports.deadlineMs ?? PAGES_DEADLINE_MS,
    startedAt: fetchClock(ports.room),
    read: [],
  }
  const paths = pathsOf(pagination)
  let step = beginPaging(pagination, request.url, request.body ?? null)
  while (step.kind === 'ask') {
    const { paging } = step
    const number = paging.pages + 1
    const fetched = await fetchPage(context, paging)
    if (!fetched.ok) return fetched
    // Measured now: the body may be moved to a thread.
    const bodyBytes = fetched.body.byteLength
    const page = await ports.pages.read({ answer: fetched, paths, number }, waiterOf(context))
    if (page === null) return failure(context, pagesTooSlow(number, context.deadlineMs), fetched.status)
    if (!page.ok) return failure(context, page.fault, fetched.status)
    const { facts } = page
    // Only the items of the page are kept.
    context.read.push({ fetched: { ...fetched, body: EMPTY }, facts, bodyBytes })
    if (sum(context, (read) => read.bodyBytes) > LARGE_BODY_BYTES) await ports.room?.take()
    step = nextStep(paging, { facts, finalUrl: fetched.finalUrl, link: linkOf(fetched) })
  }
  return step.kind === 'failed'
    ? failure(context, step.fault, context.read.at(-1)?.fetched.status ?? null)
    : merged(context, step.warning)
}

/** Sites take turns at the reading thread, and wait for it no longer than the deadline of the fetch. */
function waiterOf(context: FetchContext): Whose {
  const { request, ports, deadlineMs } = context
  const late = AbortSignal.timeout(Math.max(0, deadlineMs - elapsed(context)))
  return {
    key: URL.parse(request.url)?.host ?? '',
    signal: ports.signal ? AbortSignal.any([ports.signal, late]) : late,
  }
}

/** UTF-8 in a header arrives as Latin-1. */
function linkOf({ link }: FetchedBody): string | null {
  return nextLink(link === null ? null : Buffer.from(link, 'latin1').toString())
}

/** Fetches one page, within the time and size that the pages before it have left. */
async function fetchPage(context: FetchContext, { asked, pages }: Paging): Promise<FetchedBody | FetchFailed> {
  const number = pages + 1
  const wireLeft = context.limits.maxWireBytes - sum(context, ({ fetched }) => fetched.wireBytes)
  const bodyLeft = context.limits.maxBodyBytes - sum(context, ({ bodyBytes }) => bodyBytes)
  const msLeft = context.deadlineMs - elapsed(context)
  if (wireLeft <= 0 || bodyLeft <= 0) return failure(context, pagesTooLarge(number, context.limits.maxBodyBytes))
  if (msLeft <= 0) return failure(context, pagesTooSlow(number, context.deadlineMs))
  const fetched = await fetchStatic(requestFor(context.request, asked), {
    agent: context.ports.agent,
    team: context.ports.team,
    signal: context.ports.signal,
    room: context.ports.room,
    deadlineMs: Math.min(msLeft, FETCH_DEADLINE_MS),
    limits: { ...context.limits, maxWireBytes: wireLeft, maxBodyBytes: bodyLeft },
  })
  if (!fetched.ok)
    return { ...fetched, fault: faultOf(context, fetched, { asked, number }), durationMs: elapsed(context) }
  // The request was not conditional.
  if (fetched.kind === 'not_modified') throw new TypeError('an unconditional request returned not modified')
  return fetched
}

function requestFor(request: FetchRequest, { url, body, sameOrigin }: PageRequest): FetchRequest {
  return { ...request, url, body, headers: sameOrigin ? request.headers : null, conditional: null }
}

function faultOf(
  context: FetchContext,
  { fault }: FetchFailed,
  page: { asked: PageRequest; number: number },
): RunFault {
  const { number, asked } = page
  if (fault.code === 'too_large' && number > 1) return pagesTooLarge(number, context.limits.maxBodyBytes)
  // A timer may fire slightly early.
  if (fault.code === 'timeout' && elapsed(context) >= context.deadlineMs - 5)
    return pagesTooSlow(number, context.deadlineMs)
  const isBare = !asked.sameOrigin && context.request.headers !== null
  const hint = isBare ? ' It is on another origin than the monitor, to which its request headers are not sent.' : ''
  return pageFault(number, { code: fault.code, message: fault.message + hint })
}

function merged(context: FetchContext, warning: string | undefined): Fetched {
  const [first] = context.read
  if (first === undefined) throw new TypeError('there are no pages to merge')
  const { head, tail } = first.facts.frame ?? { head: '[', tail: ']' }
  const items = context.read.filter(({ facts }) => facts.count > 0).map(({ facts }) => facts.items)
  const found = context.read.flatMap(({ fetched }) => fetched.warnings ?? [])
  const warnings = [...new Set(warning === undefined ? found : [...found, warning])]
  const body = Buffer.from(`${head}${items.join(',')}${tail}`)
  return {
    ...first.fetched,
    contentType: 'application/json',
    etag: null,
    lastModified: null,
    body,
    bodyHash: bodyHash(body),
    wireBytes: sum(context, ({ fetched }) => fetched.wireBytes),
    durationMs: elapsed(context),
    link: null,
    ...(warnings.length > 0 && { warnings }),
  }
}

function sum(context: FetchContext, of: (read: FetchedPage) => number): number {
  return context.read.reduce((total, read) => total + of(read), 0)
}

function elapsed({ startedAt, ports }: FetchContext): number {
  return Math.round(fetchClock(ports.room) - startedAt)
}

function failure(context: FetchContext, fault: RunFault, status: number | null = null): FetchFailed {
  return { ok: false, fault, status, retryAfterMs: null, durationMs: elapsed(context) }
}
