import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { apiError, envelope } from './api-error.ts'
import { standardHeaders } from './standard-headers.ts'

const STATUS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** Answers what is not HTTP, or too slow or large to be read as a request: the envelope over the bare socket, which is then closed. */
export function answerClientError(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket.destroyed) {
    socket.destroy()
    return
  }
  const requestId = randomUUID()
  const status = STATUS[error.code ?? ''] ?? '400 Bad Request'
  const body = JSON.stringify(envelope(apiError('VALIDATION_ERROR', 'The request could not be read.'), requestId))
  const headers = {
    ...standardHeaders(requestId),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`)
}
