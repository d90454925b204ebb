import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export type Answer = string | ((request: IncomingMessage, response: ServerResponse) => void)

/** A site on loopback, each test with paths of its own. */
export interface Site {
  readonly origin: string
  readonly port: number
  /** What was asked for, as `GET /path`. */
  readonly asked: readonly IncomingMessage[]
  /** Text is HTML. Answers the address. */
  page(path: string, answer: Answer): string
  close(): Promise<void>
}

export async function openSite(address = '127.0.0.1'): Promise<Site> {
  const pages = new Map<string, Answer>()
  const asked: IncomingMessage[] = []
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => {
    asked.push(request)
    const answer = pages.get((request.url ?? '').replace(/\?.*/, ''))
    if (answer === undefined) response.writeHead(404).end('none')
    else if (typeof answer === 'string') response.writeHead(200, { 'content-type': 'text/html' }).end(answer)
    else answer(request, response)
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, address, resolve))
  const { port } = server.address() as AddressInfo
  const origin = `http://${address}:${port}`
  return {
    origin,
    port,
    asked,
    page(path, answer) {
      pages.set(path, answer)
      return origin + path
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
