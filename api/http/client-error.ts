import type { FastifyReply, FastifyRequest } from 'fastify'
import { randomUUID } from 'node:crypto'
import { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { scrub } from '../../core/scrub.ts'
import { endConnection } from '../../platform/connection-guard.ts'
import { API_VERSION } from '../../schema/run/delivery.ts'
import { type ApiError, apiError, envelope } from './api-error.ts'

/**
 * Responds to data that is not HTTP, or that is too slow or too large to be read as a request. It writes the envelope
 * to the bare socket and closes it.
 */
export function answerClientError(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket.destroyed) socket.destroy()
  else answerSocket(socket, refusalOf(error.code))
}

/** Refuses a connection of an address that has too many. */
export const answerTooMany = (socket: Socket): void =>
  answerSocket(
    socket,
    apiError('RATE_LIMIT_EXCEEDED', 'Too many connections of this address are open. Close some, or use them again.'),
  )

function answerSocket(socket: Socket, error: ApiError): void {
  const { status, headers, body } = answerOf(error)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  endConnection(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
}

/** What a person sees of an error. */
interface ErrorPage {
  readonly content: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Sends an error, as a page where there is one. When its connection ends with it and the body of the request is still
 * coming, the rest is received first.
 */
export function sendError(
  request: FastifyRequest,
  reply: FastifyReply,
  error: ApiError,
  page: ErrorPage | null = null,
): FastifyReply {
  const text = page?.content ?? JSON.stringify(envelope(error, request.id))
  reply
    .code(error.status)
    .headers({ ...standardHeaders(request.id), ...page?.headers, ...error.headers })
    .type(`${page === null ? 'application/json' : 'text/html'}; charset=utf-8`)
  // `complete` is only what a socket says; a request that was injected without one has ended when it was read.
  const isRead = request.raw.complete || request.raw.readableEnded
  if (isRead || reply.getHeader('connection') !== 'close') return reply.send(text)
  return reply.header('content-length', Buffer.byteLength(text)).send(afterRest(request.raw, text))
}

const MAX_DRAINED_BYTES = 16_777_216
const DRAIN_MS = 5_000

/**
 * Returns the text of an answer as a stream that ends when the rest of the request was received, or a bound is reached.
 * A connection that is closed before that is reset, and the client may lose the answer.
 */
function afterRest(request: IncomingMessage, text: string): Readable {
  const answer = new Readable({ read() {} })
  answer.push(text)
  let left = MAX_DRAINED_BYTES
  const count = (chunk: Buffer): void => {
    left -= chunk.length
    if (left < 0) finish()
  }
  const finish = (): void => {
    clearTimeout(timer)
    request.off('data', count).off('end', finish).off('close', finish)
    if (!answer.readableEnded) answer.push(null)
  }
  const timer = setTimeout(finish, DRAIN_MS).unref()
  request.on('data', count).once('end', finish).once('close', finish).resume()
  return answer
}

/**
 * Responds to a request whose Expect header cannot be met; Node's own answer would not have the API's envelope. The
 * body is not read.
 */
export function answerExpectation(request: IncomingMessage, response: ServerResponse): void {
  const { status, headers, body } = answerOf(
    apiError('EXPECTATION_FAILED', 'Expect can only be 100-continue.'),
    requestIdOf(request),
  )
  response.writeHead(status, headers).end(body)
}

/**
 * Throws BAD_REQUEST when a request has more than one Host header, or an HTTP/1.1 request has none (RFC 9112 §3.2).
 * Node's own answer to the second would not have the API's envelope, and of several hosts Node keeps the first.
 */
export function needsHost({ httpVersion, headers, rawHeaders }: IncomingMessage): void {
  if (headers.host === undefined && httpVersion === '1.1')
    throw apiError('BAD_REQUEST', 'The request has no Host header, which HTTP/1.1 requires.')
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === 'host') hosts += 1
  if (hosts > 1) throw apiError('BAD_REQUEST', 'The request has more than one Host header.')
}

function refusalOf(code: string | undefined): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW') return apiError('HEADERS_TOO_LARGE', 'The headers or the address are too large.')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return apiError('REQUEST_TIMEOUT', 'The request took too long to arrive.')
  return apiError('BAD_REQUEST', 'The request could not be read.')
}

function answerOf(error: ApiError, requestId: string = randomUUID()) {
  const body = JSON.stringify(envelope(error, requestId))
  const headers = {
    ...standardHeaders(requestId),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  return { status: error.status, headers, body }
}

/** The id of a caller's own choice appears in headers, logs and errors, so it is short and of plain characters. */
const REQUEST_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/

/** Returns the id of a request: the caller's own `x-request-id` where it is a plain word, else a new one. */
export function requestIdOf({ headers }: { readonly headers: IncomingHttpHeaders }): string {
  const given = headers['x-request-id']
  // A key that was sent as an id by mistake must not be repeated in a log.
  return typeof given === 'string' && REQUEST_ID.test(given) && scrub(given) === given ? given : randomUUID()
}

/** Returns the headers of every answer, errors included. */
export const standardHeaders = (requestId: string) => ({
  'service-version': API_VERSION,
  'x-request-id': requestId,
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
})
