import { type IncomingMessage, type RequestListener, request, createServer, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { certificate } from '../support/network/raw-server.ts'

/** A proxy of the test on loopback. */
interface TestProxy extends AsyncDisposable {
  readonly port: number
}

/** What a reverse proxy keeps back: answers that do not ask it not to, or all of them. Headers leave at once. */
interface Keeping {
  all: boolean
}

/** A reverse proxy with https in front of a port. It keeps answers until they are whole. */
export function startSecureProxy(to: () => number, keeping: Keeping): Promise<TestProxy> {
  return listening(createSecureServer(certificate('good'), forwarding(to, keeping)))
}

/** A proxy for plain http, as browsers are told to use one: it takes any host for the server at a port. */
export function startPlainProxy(to: () => number): Promise<TestProxy> {
  return listening(createServer(forwarding(to, { all: false })))
}

function forwarding(to: () => number, keeping: Keeping): RequestListener {
  return (asked, answer) => {
    const path = asked.url?.replace(/^http:\/\/[^/]+/, '')
    const call = request({ host: '127.0.0.1', port: to(), path, method: asked.method, headers: asked.headers })
    call.on('error', () => answer.destroy())
    answer.on('close', () => call.destroy())
    call.on('response', (found: IncomingMessage) => {
      answer.writeHead(found.statusCode ?? 502, found.headers)
      answer.flushHeaders()
      if (!keeping.all && found.headers['x-accel-buffering'] === 'no') return found.pipe(answer)
      const kept: Buffer[] = []
      found.on('data', (part: Buffer) => kept.push(part))
      found.on('end', () => answer.end(Buffer.concat(kept)))
    })
    asked.pipe(call)
  }
}

async function listening(server: Server): Promise<TestProxy> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
