import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { createKeyedBudget } from '../concurrency/keyed-budget.ts'
import { CONNECTIONS_PER_ADDRESS } from '../schema/config.ts'

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
  refuse?(socket: Socket, key: string): void
}

/**
 * Limits the connections of each client address, so that one client cannot use up the descriptors of the process. A
 * connection by a Unix socket has no address and is not counted.
 */
export function guardConnections(server: Server, guard: ConnectionGuard = {}): void {
  const { perAddress = CONNECTIONS_PER_ADDRESS, keyOf = byAddress, refuse = destroy } = guard
  if (perAddress === 0) return
  const open = createKeyedBudget<string>({ total: Number.POSITIVE_INFINITY, perKey: perAddress })
  server.on('connection', (socket) => {
    const key = socket.remoteAddress === undefined ? null : keyOf(socket.remoteAddress)
    if (key === null) return
    const leave = open.take(key, 1)
    if (typeof leave === 'string') refuse(socket, key)
    else socket.once('close', leave)
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
