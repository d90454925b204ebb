import type { IncomingHttpHeaders } from 'node:http'
import type { Exchange } from '../../egress/exchange.ts'
import { bodyHash } from './body-hash.ts'
import { CHALLENGE_BYTES, isChallengeHeader, isChallengePage } from './challenge.ts'
import { decodeBody } from './decode-body.ts'
import { EMPTY_BODY, blockedFault, statusFault } from './fetch-faults.ts'
import type { Fetched, FetchedBody, FetchFailed, FetchRequest, NotModified } from './fetched.ts'
import { oneHeader } from './one-header.ts'
import type { Hop } from './next-hop.ts'
import { retryAfterMs } from './retry-after.ts'
import { elapsed, failed } from './fetch-context.ts'
import type { FetchContext } from './fetch-context.ts'

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
  const decoded = await decodeBody(wire, String(encoding), context.limits.maxBodyBytes)
  if (!decoded.ok) return failed(context, decoded.fault, status)
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
  return failed(context, isRefusal ? blockedFault(status, host, isChallenge) : statusFault(status, host), status, wait)
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
