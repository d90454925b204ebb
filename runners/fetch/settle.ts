import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { retryAfterMs } from '../../core/retry-after.ts'
import type { Exchange, BodyRule } from '../../egress/exchange.ts'
import type { RunFault } from '../../schema/run/run-fault.ts'
import { fetchClock } from './body-room.ts'
import { decodeBody } from './decode-body.ts'
import { EMPTY_BODY, blockedFault, statusFault } from './fetch-faults.ts'
import type { FetchLimits } from './fetch-limits.ts'
import type { Fetched, FetchedBody, FetchFailed, FetchRequest, NotModified, FetchPorts } from './fetched.ts'
import type { Hop } from './next-hop.ts'
import { oneHeader } from './request-headers.ts'

export type Answer = Exchange & { readonly ok: true }

/** Turns the response of the last hop into the result of the fetch: a body, "not modified", or a fault. */
export async function settle(context: FetchContext, hop: Hop, answer: Answer): Promise<Fetched> {
  const { status, headers } = answer
  const redirected = hop.count > 0
  if (status === 304 && !redirected && isConditional(context.request)) return notModified(context, hop, headers)
  if (status < 200 || status > 299 || isChallengeHeader(headers)) return refusal(context, hop, answer)
  const wire = joined(answer)
  if (wire.length === 0) return failed(context, EMPTY_BODY, status)
  const encoding = headers['content-encoding']
  if (encoding === undefined) return fetchedBody(context, hop, answer, wire)
  const decoded = await decodeBody(wire, String(encoding), context.limits.maxBodyBytes, context.ports.room)
  if (!decoded.ok)
    return { ...failed(context, decoded.fault, status), ...(decoded.isBrotli && { onlyBrowserReads: true }) }
  if (decoded.body.length === 0) return failed(context, EMPTY_BODY, status)
  return fetchedBody(context, hop, answer, decoded.body)
}

function fetchedBody(context: FetchContext, hop: Hop, answer: Answer, body: Uint8Array): FetchedBody {
  const { headers } = answer
  const redirected = hop.count > 0
  return {
    ok: true,
    kind: 'body',
    status: answer.status,
    finalUrl: hop.url.href,
    redirected,
    contentType: oneHeader(headers, 'content-type'),
    etag: redirected ? null : validator(headers, 'etag'),
    lastModified: redirected ? null : validator(headers, 'last-modified'),
    body,
    bodyHash: bodyHash(body),
    wireBytes: answer.wireBytes,
    durationMs: elapsed(context),
    link: joinedHeader(headers['link']),
  }
}

function notModified(context: FetchContext, hop: Hop, headers: IncomingHttpHeaders): NotModified {
  const { conditional } = context.request
  return {
    ok: true,
    kind: 'not_modified',
    status: 304,
    finalUrl: hop.url.href,
    redirected: false,
    etag: validator(headers, 'etag') ?? conditional?.etag ?? null,
    lastModified: validator(headers, 'last-modified') ?? conditional?.lastModified ?? null,
    wireBytes: 0,
    durationMs: elapsed(context),
  }
}

async function refusal(context: FetchContext, hop: Hop, answer: Answer): Promise<FetchFailed> {
  const { status, headers } = answer
  const { host } = hop.url
  const wait = status === 429 || status === 503 ? retryAfterMs(headers['retry-after'], Date.now()) : null
  const isChallenge = isChallengeHeader(headers) || (await isChallengeBody(answer))
  const isRefusal = isChallenge || status === 401 || status === 403 || status === 429
  const by = context.request.refusedAs ?? 'static'
  const fault = isRefusal ? blockedFault(status, host, by, isChallenge) : statusFault(status, host)
  return failed(context, fault, status, wait)
}

async function isChallengeBody(answer: Answer): Promise<boolean> {
  if (answer.status !== 403 && answer.status !== 503) return false
  const encoding = answer.headers['content-encoding']
  if (encoding === undefined) return isChallengePage(joined(answer))
  const decoded = await decodeBody(joined(answer), String(encoding), CHALLENGE_BYTES * 16)
  return decoded.ok && isChallengePage(decoded.body)
}

function isConditional({ conditional }: FetchRequest): boolean {
  return conditional !== null && (conditional.etag !== null || conditional.lastModified !== null)
}

/** Returns one value of a list header: several headers of one name are joined to one list. */
function joinedHeader(value: string | string[] | undefined): string | null {
  return (Array.isArray(value) ? value.join(', ') : value) ?? null
}

/** Most pages come in one or two chunks; a single chunk is used without copying. */
function joined({ chunks, wireBytes }: Answer): Uint8Array {
  const [only] = chunks
  return only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks, wireBytes)
}

/** Returns a validator that can be sent back unchanged: printable and short. */
function validator(headers: IncomingHttpHeaders, name: string): string | null {
  const value = oneHeader(headers, name)
  return value !== null && /^[\x20-\x7e]{1,512}$/.test(value) ? value : null
}

/**
 * Returns the first 16 bytes of SHA-256. A page's author must not be able to make two different pages that look
 * unchanged, so MD5 and SHA-1 are not used. One call over the whole body costs about the same as the streaming
 * interface (13.6 and 13.1 µs for 20 KB; SHA-1 11.7, MD5 26, BLAKE2b 21).
 */
export function bodyHash(body: Uint8Array): Uint8Array {
  return hash('sha256', body, 'buffer').subarray(0, 16)
}

/** One running fetch. */
export interface FetchContext {
  readonly request: FetchRequest
  readonly ports: FetchPorts
  readonly limits: FetchLimits
  readonly bodyRule: (status: number) => BodyRule
  /** By `fetchClock`, as all durations here. */
  readonly startedAt: number
  readonly deadlineMs: number
}

/** Returns the whole milliseconds since the fetch began, without the wait for room. */
export function elapsed({ startedAt, ports }: FetchContext): number {
  return Math.round(fetchClock(ports.room) - startedAt)
}

/** Returns the result of a failed fetch. */
export function failed(
  context: FetchContext,
  fault: RunFault,
  status: number | null = null,
  retryAfter: number | null = null,
): FetchFailed {
  return { ok: false, fault, status, retryAfterMs: retryAfter, durationMs: elapsed(context) }
}

/** The part of a refusal's body that is searched. */
export const CHALLENGE_BYTES = 64 * 1024

/** Texts that the challenge pages of well-known bot protections contain and ordinary error pages do not. */
const MARKERS = [
  '/cdn-cgi/challenge-platform/',
  'cf-challenge',
  'cf_chl_opt',
  'captcha-delivery.com',
  '_Incapsula_Resource',
  'px-captcha',
  'sucuri_cloudproxy_js',
  'awswaf.com',
  'g-recaptcha',
  'h-captcha',
]

/** Returns whether the response headers mark a challenge, whatever the status. */
export function isChallengeHeader(headers: IncomingHttpHeaders): boolean {
  const waf = headers['x-amzn-waf-action']
  return headers['cf-mitigated'] === 'challenge' || waf === 'challenge' || waf === 'captcha'
}

/**
 * Returns whether a refusal's body is a challenge page. Call it only for 403 and 503: on a page that was served, a
 * captcha is a form field.
 */
export function isChallengePage(body: Uint8Array): boolean {
  const text = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, CHALLENGE_BYTES)).toString('latin1')
  return MARKERS.some((marker) => text.includes(marker))
}
