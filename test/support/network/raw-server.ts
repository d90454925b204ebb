import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { TlsOptions } from 'node:tls'

/** A server on loopback that answers with exactly the bytes that a test writes, and remembers what it was asked. */
export interface RawServer extends AsyncDisposable {
  readonly port: number
  readonly requests: readonly string[]
  /** Connections that were accepted, asked anything or not. */
  readonly contacts: number
}

/** Called once a request head (and what came with it) is there; `nth` counts requests from 1. */
export type Answer = (socket: Socket, request: string, nth: number) => void

export function answer(
  head: string,
  body: string | Uint8Array = '',
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const length =
    'content-length' in headers || 'transfer-encoding' in headers
      ? ''
      : `content-length: ${Buffer.byteLength(body)}\r\n`
  return (socket) => {
    socket.write(`HTTP/1.1 ${head}\r\n${lines.join('')}${length}\r\n`)
    socket.write(body)
  }
}

export async function rawServer(onRequest: Answer, tls?: TlsOptions): Promise<RawServer> {
  const requests: string[] = []
  const sockets = new Set<Socket>()
  let contacts = 0
  const onSocket = (socket: Socket): void => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (!text.includes('\r\n\r\n')) return
      requests.push(text)
      const request = text
      text = ''
      onRequest(socket, request, requests.length)
    })
  }
  const server: Server = tls === undefined ? createServer(onSocket) : createTlsServer(tls, onSocket)
  server.on('connection', (socket) => {
    contacts++
    sockets.add(socket)
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    get contacts() {
      return contacts
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export function fixture(name: string): string {
  return readFileSync(new URL(`certificates/${name}`, import.meta.url), 'utf8')
}

export function certificate(name: string): TlsOptions {
  return { cert: fixture(`${name}.pem`), key: fixture(`${name}.test-only.key`) }
}
