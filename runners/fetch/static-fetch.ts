import type { BodyRule, Exchange } from '../../egress/exchange.ts'
import { guardedRequest } from '../../egress/guarded-request.ts'
import { parseTargetUrl } from '../../egress/target-url.ts'
import { fetchClock, LARGE_BODY_BYTES } from './body-room.ts'
import { becameGet, exchangeFault, tooManyRedirects, unusableUrl } from './fetch-faults.ts'
import { FETCH_DEADLINE_MS, FETCH_LIMITS, type FetchLimits } from './fetch-limits.ts'
import type { Fetched, FetchFailed, FetchPorts, FetchRequest } from './fetched.ts'
import { nextHop, type Hop } from './next-hop.ts'
import { oneHeader, hasUserHeaders, requestHeaders } from './request-headers.ts'
import { CHALLENGE_BYTES, settle, type Answer, elapsed, failed, type FetchContext } from './settle.ts'

/**
 * The static layer: fetches one page by plain HTTP through the egress guard, follows redirects, decodes and hashes.
 * Never rejects: every behaviour of a site becomes a `Fetched`. A failure's message contains at most the host, never a
 * path, a query or a header.
 */
export async function fetchStatic(request: FetchRequest, ports: FetchPorts): Promise<Fetched> {
  const context = createFetchContext(request, ports)
  const first = parseTargetUrl(request.url)
  if (!first.ok) return failed(context, unusableUrl(first.message))
  const { method = 'GET', body = null } = request
  const hop: Hop = { url: first.url, method, body, sameOrigin: true, count: 0 }
  const exchange = await send(context, hop)
  if (!exchange.ok) return failedExchange(context, hop, exchange)
  return isRedirect(exchange.status) ? follow(context, hop, exchange) : settle(context, hop, exchange)
}

function createFetchContext(request: FetchRequest, ports: FetchPorts): FetchContext {
  const limits = ports.limits ?? FETCH_LIMITS
  return {
    request,
    ports,
    limits,
    bodyRule: limits === FETCH_LIMITS ? defaultBodyRule : bodyRuleOf(limits),
    startedAt: fetchClock(ports.room),
    deadlineMs: ports.deadlineMs ?? FETCH_DEADLINE_MS,
  }
}

const defaultBodyRule = bodyRuleOf(FETCH_LIMITS)

/** A page is read whole. Of a refusal or a redirect, enough is read to name the fault. */
function bodyRuleOf(limits: FetchLimits): (status: number) => BodyRule {
  const whole: BodyRule = { maxBytes: limits.maxWireBytes, partial: false }
  const start: BodyRule = { maxBytes: CHALLENGE_BYTES, partial: true }
  return (status) => (status < 300 ? whole : start)
}

/** Returns whether a status is a redirect that is followed. */
function isRedirect(status: number): boolean {
  return status === 301 || status === 302 || status === 303 || status === 307 || status === 308
}

/** Follows redirects until another response comes. */
async function follow(context: FetchContext, from: Hop, redirect: Answer): Promise<Fetched> {
  const { maxRedirects } = context.limits
  const seen = new Set<string>()
  let hop = from
  let answer = redirect
  while (isRedirect(answer.status)) {
    const { status } = answer
    const next = nextHop(hop, status, oneHeader(answer.headers, 'location'), hasUserHeaders(context.request))
    if (!next.ok) return failed(context, next.fault, status)
    seen.add(`${hop.method} ${hop.url.href}`)
    const inLoop = seen.has(`${next.hop.method} ${next.hop.url.href}`)
    if (inLoop || hop.count >= maxRedirects) return failed(context, tooManyRedirects(maxRedirects, inLoop), status)
    hop = next.hop
    const exchange = await send(context, hop)
    if (!exchange.ok) return failedExchange(context, hop, exchange)
    answer = exchange
  }
  const fetched = await settle(context, hop, answer)
  if (hop.method === from.method || !fetched.ok || fetched.kind !== 'body') return fetched
  return { ...fetched, warnings: [becameGet(from.method, hop.url.host)] }
}

/**
 * Sends the request of one hop. A GET whose kept-alive connection was closed is sent once more: the server had closed
 * the connection before the request was written.
 */
async function send(context: FetchContext, hop: Hop): Promise<Exchange> {
  // The first hop uses the full deadline: Node keeps one list of timers per duration.
  const exchange = await sendOnce(context, hop, hop.count === 0 ? context.deadlineMs : remaining(context))
  return wasClosedUnread(exchange) && hop.method === 'GET' ? sendOnce(context, hop, remaining(context)) : exchange
}

function wasClosedUnread(exchange: Exchange): boolean {
  return !exchange.ok && exchange.failure.kind === 'closed' && exchange.failure.phase === 'first_byte'
}

function remaining(context: FetchContext): number {
  return Math.max(1, context.deadlineMs - elapsed(context))
}

function sendOnce(context: FetchContext, hop: Hop, deadlineMs: number): Promise<Exchange> {
  const { request, ports, bodyRule } = context
  const { url, method, body } = hop
  const headers = requestHeaders(request, { user: hop.sameOrigin, conditional: hop.count === 0, body })
  const { team, signal, room } = ports
  const large = room && { bytes: LARGE_BODY_BYTES, take: () => room.take() }
  return guardedRequest(ports.agent, { url, method, headers, body, team, deadlineMs, signal, bodyRule, large })
}

function failedExchange(
  context: FetchContext,
  hop: Hop,
  { failure, status }: Exchange & { readonly ok: false },
): FetchFailed {
  const fetched = failed(context, exchangeFault(failure, hop.url, context.limits.maxWireBytes), status)
  return failure.kind === 'internal' ? { ...fetched, cause: failure.error } : fetched
}
