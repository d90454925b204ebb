import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createKeyedBudget } from '../concurrency/gates/keyed-budget.ts'
import { CONNECTIONS_PER_ADDRESS } from '../schema/config/network-settings.ts'

/**
 * Time limits of a server, in milliseconds. A connection without a request ends after `headersTimeout` too. Node looks
 * for late requests at each interval.
 */
export const CONNECTION_LIMITS = { headersTimeout: 15_000, connectionsCheckingInterval: 5_000 } as const

/** Milliseconds for a client to read the last answer on its connection. */
const LINGER_MS = 1_000

interface ConnectionGuard {
  /** The most connections that are open at once for one key; 0: any number. */
  readonly perAddress?: number
  /** Returns what connections are counted by; null: this one is not counted. Default: the address. */
  keyOf?(address: string): string | null
  /** Refuses a connection beyond the limit. Default: it is destroyed. */
  refuse?(socket: Socket): void
  /** Called with each refused connection. */
  onRefused?: OnRefused | undefined
}

/** `key`: what the connection was counted by. */
export type OnRefused = (key: string) => void

/**
 * Limits the connections of each client address, so that one client cannot use up the descriptors of the process. A
 * connection by a Unix socket has no address and is not counted.
 *
 * The server reads requests from a connection once its own listener has the socket. A refused socket never gets there,
 * because its request would be served beside the refusal. Call it before other listeners are added that read.
 */
export function guardConnections(server: Server, guard: ConnectionGuard = {}): void {
  const { perAddress = CONNECTIONS_PER_ADDRESS, keyOf = byAddress, refuse = destroy, onRefused } = guard
  if (perAddress === 0) return
  const open = createKeyedBudget<string>({ total: Number.POSITIVE_INFINITY, perKey: perAddress })
  const isAdmitted = (socket: Socket): boolean => {
    const key = socket.remoteAddress === undefined ? null : keyOf(socket.remoteAddress)
    if (key === null) return true
    const leave = open.take(key, 1)
    if (typeof leave !== 'string') {
      socket.once('close', leave)
      return true
    }
    refuse(socket)
    onRefused?.(key)
    return false
  }
  const readers = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket) => {
    if (isAdmitted(socket)) for (const read of readers) Reflect.apply(read, server, [socket])
  })
}

/**
 * Ends a connection on which more requests wait for their answers. Node hands on all requests of what it has read from
 * one connection before it reads from another, which may be more than a thousand. Call it before other listeners of
 * requests are added.
 */
export function boundRequests(server: Server, most: number): void {
  const underWay = new WeakMap<Socket, number>()
  const handlers = server.listeners('request')
  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    if (socket.destroyed) return
    const count = (underWay.get(socket) ?? 0) + 1
    if (count > most) return void socket.destroy()
    underWay.set(socket, count)
    response.once('close', () => void underWay.set(socket, (underWay.get(socket) ?? 1) - 1))
    for (const handle of handlers) Reflect.apply(handle, server, [request, response])
  })
}

const byAddress = (address: string): string => address
const destroy = (socket: Socket): void => void socket.destroy()

/**
 * Sends the last text of a connection and destroys it, whatever the client does: a client that goes on sending, or that
 * never closes its side, must not keep the descriptor.
 */
export function endConnection(socket: Socket, text: string): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref()
  socket.once('close', () => clearTimeout(timer))
  socket.on('error', () => {})
  socket.end(text)
  // What still comes is not kept in memory.
  socket.resume()
}
