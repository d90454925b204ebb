import { randomUUID } from 'node:crypto'
import { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type ApiError, apiError, envelope } from './api-error.ts'
import { scrub } from '../../core/logger.ts'
import { API_VERSION } from '../../schema/run/delivery.ts'

/**
 * Responds to data that is not HTTP, or that is too slow or too large to be read as a request. It writes the envelope
 * to the bare socket and closes it.
 */
export function answerClientError(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket.destroyed) {
    socket.destroy()
    return
  }
  const { status, headers, body } = answerOf(refusalOf(error.code))
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
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
 * Throws BAD_REQUEST when an HTTP/1.1 request has no Host header (required by RFC 9112 §3.2); Node's own answer would
 * not have the API's envelope.
 */
export function needsHost({ httpVersion, headers }: IncomingMessage): void {
  if (headers.host === undefined && httpVersion === '1.1')
    throw apiError('BAD_REQUEST', 'The request has no Host header, which HTTP/1.1 requires.')
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
