import type { BodyRule, Exchange } from '../../egress/exchange.ts'
import { guardedRequest } from '../../egress/guarded-request.ts'
import { parseTargetUrl } from '../../egress/target-url.ts'
import { CHALLENGE_BYTES } from './challenge.ts'
import { exchangeFault, tooManyRedirects, unusableUrl } from './fetch-faults.ts'
import { FETCH_DEADLINE_MS, FETCH_LIMITS } from './fetch-limits.ts'
import type { FetchLimits } from './fetch-limits.ts'
import type { Fetched, FetchFailed, FetchPorts, FetchRequest } from './fetched.ts'
import { isRedirect, nextHop } from './next-hop.ts'
import type { Hop } from './next-hop.ts'
import { oneHeader } from './one-header.ts'
import { hasUserHeaders, requestHeaders } from './request-headers.ts'
import { settle } from './settle.ts'
import type { Answer } from './settle.ts'
import { elapsed, failed } from './fetch-context.ts'
import type { FetchContext } from './fetch-context.ts'

/**
 * The static layer: fetches one page by plain HTTP through the egress guard, follows redirects, decodes and hashes.
 * Never rejects: every behaviour of a site becomes a `Fetched`. A failure's message contains at most the host, never a
 * path, a query or a header.
 */
export async function fetchStatic(request: FetchRequest, ports: FetchPorts): Promise<Fetched> {
  const trip = createFetchContext(request, ports)
  const first = parseTargetUrl(request.url)
  if (!first.ok) return failed(trip, unusableUrl(first.message))
  const { method = 'GET', body = null } = request
  const hop: Hop = { url: first.url, method, body, sameOrigin: true, count: 0 }
  const exchange = await send(trip, hop)
  if (!exchange.ok) return failedExchange(trip, hop, exchange)
  return isRedirect(exchange.status) ? follow(trip, hop, exchange) : settle(trip, hop, exchange)
}

function createFetchContext(request: FetchRequest, ports: FetchPorts): FetchContext {
  const limits = ports.limits ?? FETCH_LIMITS
  return {
    request,
    ports,
    limits,
    bodyRule: limits === FETCH_LIMITS ? defaultBodyRule : bodyRuleOf(limits),
    startedAt: performance.now(),
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

/** Follows redirects until another response comes. */
async function follow(trip: FetchContext, from: Hop, redirect: Answer): Promise<Fetched> {
  const { maxRedirects } = trip.limits
  const seen = new Set<string>()
  let hop = from
  let answer = redirect
  while (isRedirect(answer.status)) {
    const { status } = answer
    const next = nextHop(hop, status, oneHeader(answer.headers, 'location'), hasUserHeaders(trip.request))
    if (!next.ok) return failed(trip, next.fault, status)
    seen.add(`${hop.method} ${hop.url.href}`)
    const inLoop = seen.has(`${next.hop.method} ${next.hop.url.href}`)
    if (inLoop || hop.count >= maxRedirects) return failed(trip, tooManyRedirects(maxRedirects, inLoop), status)
    hop = next.hop
    const exchange = await send(trip, hop)
    if (!exchange.ok) return failedExchange(trip, hop, exchange)
    answer = exchange
  }
  return settle(trip, hop, answer)
}

/**
 * Sends the request of one hop. A GET whose kept-alive connection was closed is sent once more: the server had closed
 * the connection before the request was written.
 */
async function send(trip: FetchContext, hop: Hop): Promise<Exchange> {
  // The first hop uses the full deadline: Node keeps one list of timers per duration.
  const exchange = await sendOnce(trip, hop, hop.count === 0 ? trip.deadlineMs : remaining(trip))
  return wasClosedUnread(exchange) && hop.method === 'GET' ? sendOnce(trip, hop, remaining(trip)) : exchange
}

function wasClosedUnread(exchange: Exchange): boolean {
  return !exchange.ok && exchange.failure.kind === 'closed' && exchange.failure.phase === 'first_byte'
}

function remaining(trip: FetchContext): number {
  return Math.max(1, trip.deadlineMs - elapsed(trip))
}

function sendOnce(trip: FetchContext, hop: Hop, deadlineMs: number): Promise<Exchange> {
  const { request, ports, bodyRule } = trip
  const { url, method, body } = hop
  const headers = requestHeaders(request, { user: hop.sameOrigin, conditional: hop.count === 0, body })
  return guardedRequest(ports.agent, { url, method, headers, body, deadlineMs, signal: ports.signal, bodyRule })
}

function failedExchange(
  trip: FetchContext,
  hop: Hop,
  { failure, status }: Exchange & { readonly ok: false },
): FetchFailed {
  const fetched = failed(trip, exchangeFault(failure, hop.url, trip.limits.maxWireBytes), status)
  return failure.kind === 'internal' ? { ...fetched, cause: failure.error } : fetched
}
