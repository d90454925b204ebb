import type { IncomingHttpHeaders } from 'node:http'
import type { RunFault } from '../../schema/run-fault.ts'
import type { BodyRule, Exchange } from '../guard/exchange.ts'
import { guardedRequest } from '../guard/guarded-request.ts'
import { parseTargetUrl } from '../guard/target-url.ts'
import { bodyHash } from './body-hash.ts'
import { CHALLENGE_BYTES, isChallengeHeader, isChallengePage } from './challenge.ts'
import { decodeBody } from './decode-body.ts'
import { EMPTY_BODY, blockedFault, exchangeFault, statusFault, tooManyRedirects, unusableUrl } from './fetch-faults.ts'
import { FETCH_DEADLINE_MS, FETCH_LIMITS } from './fetch-limits.ts'
import type { FetchLimits } from './fetch-limits.ts'
import type { Fetched, FetchFailed, FetchPorts, FetchRequest, NotModified } from './fetched.ts'
import { isRedirect, nextHop } from './next-hop.ts'
import type { Hop } from './next-hop.ts'
import { hasUserHeaders, requestHeaders } from './request-headers.ts'
import { retryAfterMs } from './retry-after.ts'

type Answer = Exchange & { readonly ok: true }

/** One fetch under way. */
interface Trip {
  readonly request: FetchRequest
  readonly ports: FetchPorts
  readonly limits: FetchLimits
  readonly bodyRule: (status: number) => BodyRule
  readonly startedAt: number
  readonly deadlineMs: number
}

/**
 * The static layer (DESIGN §3, §4.20–4.25): one page by plain HTTP through the walls, redirects followed by us, decoded and hashed. Never
 * rejects: whatever a site does is a `Fetched`. A failure's message names the host at most, never a path, a query or a header.
 */
export async function fetchStatic(request: FetchRequest, ports: FetchPorts): Promise<Fetched> {
  const limits = ports.limits ?? FETCH_LIMITS
  const trip: Trip = {
    request,
    ports,
    limits,
    bodyRule: limits === FETCH_LIMITS ? defaultBodyRule : bodyRuleOf(limits),
    startedAt: performance.now(),
    deadlineMs: ports.deadlineMs ?? FETCH_DEADLINE_MS,
  }
  const first = parseTargetUrl(request.url)
  if (!first.ok) return failed(trip, unusableUrl(first.message))
  let hop: Hop = { url: first.url, method: request.method ?? 'GET', body: request.body ?? null, sameOrigin: true }
  let seen: Set<string> | null = null
  for (let hops = 0; ; hops++) {
    const exchange = await ask(trip, hop, hops === 0)
    if (!exchange.ok)
      return failed(trip, exchangeFault(exchange.failure, hop.url, limits.maxWireBytes), exchange.status)
    if (!isRedirect(exchange.status)) return settle(trip, hop, exchange, hops > 0)
    const next = nextHop(hop, exchange.status, one(exchange.headers, 'location'), hasUserHeaders(request))
    if (!next.ok) return failed(trip, next.fault, exchange.status)
    seen = (seen ?? new Set()).add(`${hop.method} ${hop.url.href}`)
    const inCircle = seen.has(`${next.hop.method} ${next.hop.url.href}`)
    if (inCircle || hops >= limits.maxRedirects)
      return failed(trip, tooManyRedirects(limits.maxRedirects, inCircle), exchange.status)
    hop = next.hop
  }
}

const defaultBodyRule = bodyRuleOf(FETCH_LIMITS)

/** A page is wanted whole; of a refusal or a redirect, what helps to name it is enough. */
function bodyRuleOf(limits: FetchLimits): (status: number) => BodyRule {
  const whole: BodyRule = { maxBytes: limits.maxWireBytes, partial: false }
  const glance: BodyRule = { maxBytes: CHALLENGE_BYTES, partial: true }
  return (status) => (status < 300 ? whole : glance)
}

/** One hop. A GET whose kept-alive connection was closed under it is asked once more: the server had given it up before we wrote. */
async function ask(trip: Trip, hop: Hop, isFirst: boolean): Promise<Exchange> {
  const exchange = await askOnce(trip, hop, isFirst)
  if (
    exchange.ok ||
    exchange.failure.kind !== 'closed' ||
    exchange.failure.phase !== 'first_byte' ||
    hop.method !== 'GET'
  )
    return exchange
  return askOnce(trip, hop, isFirst)
}

function askOnce(trip: Trip, hop: Hop, isFirst: boolean): Promise<Exchange> {
  const { request, ports } = trip
  return guardedRequest(ports.agent, {
    url: hop.url,
    method: hop.method,
    headers: requestHeaders(request, { user: hop.sameOrigin, conditional: isFirst, body: hop.body }),
    body: hop.body,
    // The first hop gets the round figure: Node keeps one list of timers per duration.
    deadlineMs: isFirst ? trip.deadlineMs : Math.max(1, trip.deadlineMs - elapsed(trip)),
    signal: ports.signal,
    bodyRule: trip.bodyRule,
  })
}

async function settle(trip: Trip, hop: Hop, answer: Answer, redirected: boolean): Promise<Fetched> {
  const { status, headers } = answer
  if (status === 304 && !redirected && isConditional(trip.request)) return notModified(trip, hop, headers)
  if (status < 200 || status > 299 || isChallengeHeader(headers)) return refusal(trip, hop, answer)
  const encoding = headers['content-encoding']
  const wire = joined(answer.chunks, answer.wireBytes)
  if (wire.length === 0) return failed(trip, EMPTY_BODY, status)
  const decoded =
    encoding === undefined
      ? { ok: true as const, body: wire }
      : await decodeBody(wire, String(encoding), trip.limits.maxBodyBytes)
  if (!decoded.ok) return failed(trip, decoded.fault, status)
  const { body } = decoded
  if (body.length === 0) return failed(trip, EMPTY_BODY, status)
  if (body.length > trip.limits.maxBodyBytes)
    return failed(trip, exchangeFault({ kind: 'too_large' }, hop.url, trip.limits.maxBodyBytes), status)
  return {
    ok: true,
    kind: 'body',
    status,
    finalUrl: hop.url.href,
    redirected,
    contentType: one(headers, 'content-type'),
    etag: redirected ? null : validator(headers, 'etag'),
    lastModified: redirected ? null : validator(headers, 'last-modified'),
    body,
    bodyHash: bodyHash(body),
    wireBytes: answer.wireBytes,
    durationMs: elapsed(trip),
    link: one(headers, 'link'),
  }
}

function notModified(trip: Trip, hop: Hop, headers: IncomingHttpHeaders): NotModified {
  const { conditional } = trip.request
  return {
    ok: true,
    kind: 'not_modified',
    status: 304,
    finalUrl: hop.url.href,
    redirected: false,
    etag: validator(headers, 'etag') ?? conditional?.etag ?? null,
    lastModified: validator(headers, 'last-modified') ?? conditional?.lastModified ?? null,
    wireBytes: 0,
    durationMs: elapsed(trip),
  }
}

async function refusal(trip: Trip, hop: Hop, answer: Answer): Promise<FetchFailed> {
  const { status, headers } = answer
  const wait = status === 429 || status === 503 ? retryAfterMs(headers['retry-after'], Date.now()) : null
  const isChallenge =
    isChallengeHeader(headers) || ((status === 403 || status === 503) && (await isChallengeBody(answer)))
  const isRefusal = isChallenge || status === 401 || status === 403 || status === 429
  const host = hop.url.host
  return failed(trip, isRefusal ? blockedFault(status, host, isChallenge) : statusFault(status, host), status, wait)
}

async function isChallengeBody(answer: Answer): Promise<boolean> {
  const wire = joined(answer.chunks, answer.wireBytes)
  const encoding = answer.headers['content-encoding']
  if (encoding === undefined) return isChallengePage(wire)
  const decoded = await decodeBody(wire, String(encoding), CHALLENGE_BYTES * 16)
  return decoded.ok && isChallengePage(decoded.body)
}

function isConditional({ conditional }: FetchRequest): boolean {
  return conditional !== null && (conditional.etag !== null || conditional.lastModified !== null)
}

/** Most pages come in one or two chunks; one is used as it is. */
function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [only] = chunks
  return only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks, size)
}

/** The first value of a header; null when it is absent. */
function one(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name]
  return (Array.isArray(value) ? value[0] : value) ?? null
}

/** A validator that can be sent back as it came: printable and short. */
function validator(headers: IncomingHttpHeaders, name: string): string | null {
  const value = one(headers, name)
  return value !== null && /^[\x20-\x7e]{1,512}$/.test(value) ? value : null
}

function elapsed(trip: Trip): number {
  return Math.round(performance.now() - trip.startedAt)
}

function failed(trip: Trip, fault: RunFault, status: number | null = null, wait: number | null = null): FetchFailed {
  return { ok: false, fault, status, retryAfterMs: wait, durationMs: elapsed(trip) }
}
