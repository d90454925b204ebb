import { connect } from 'node:net'
import type { Socket, TcpNetConnectOpts } from 'node:net'
import { unmapped } from './address.ts'
import { addressBytes } from './cidr.ts'
import { DENIED, connectFailure } from './egress-failure.ts'
import type { EgressFailure } from './egress-failure.ts'
import type { EgressPolicy, Endpoint } from './policy.ts'
import type { Address, Resolver } from './resolve.ts'
import { vet } from './vet.ts'

export type Dialled =
  | { readonly ok: true; readonly socket: Socket }
  | { readonly ok: false; readonly failure: EgressFailure }

/** Opens a TCP connection. This is `net.connect`, except in tests that count connections. */
export type OpenSocket = (options: TcpNetConnectOpts) => Socket

export interface DialPorts {
  readonly policy: EgressPolicy
  readonly resolver: Resolver
  /** Milliseconds for the TCP connect, without the name lookup. */
  readonly connectMs: number
  readonly open?: OpenSocket
}

/** Limits the dialled addresses: all addresses of a name are vetted, but not all of hundreds are tried. */
const MOST_ATTEMPTS = 8

/**
 * Resolve-and-pin: vets every address of the target, dials only vetted ones, and checks the connected address again
 * before a byte is written. The egress proxy dials through it too. Never rejects. A returned socket has a listener for
 * errors.
 */
export async function dial(target: Endpoint, ports: DialPorts): Promise<Dialled> {
  const vetted = await vet(target, ports.policy, ports.resolver)
  if (!vetted.ok) return vetted
  const dialled = await openPinned(target, vetted.addresses.slice(0, MOST_ATTEMPTS), ports)
  if (!dialled.ok || isPinned(dialled.socket, vetted.addresses, target.port, ports.policy)) return dialled
  dialled.socket.destroy()
  return { ok: false, failure: DENIED }
}

function openPinned(target: Endpoint, addresses: readonly Address[], ports: DialPorts): Promise<Dialled> {
  return new Promise((resolve) => {
    const socket = (ports.open ?? connect)(socketOptions(target, addresses))
    const timer = setTimeout(() => {
      resolve({ ok: false, failure: { kind: 'connect', cause: 'timeout' } })
      socket.destroy()
    }, ports.connectMs)
    socket.once('connect', () => {
      clearTimeout(timer)
      resolve({ ok: true, socket })
    })
    // The listener stays: until the caller takes the socket over, an error must not become an uncaught exception.
    socket.on('error', (error) => {
      clearTimeout(timer)
      resolve({ ok: false, failure: connectFailure(error) })
    })
  })
}

/** Several addresses go through Node's Happy Eyeballs. Its lookup returns the vetted list and nothing else. */
function socketOptions(target: Endpoint, addresses: readonly Address[]): TcpNetConnectOpts {
  const shared = { port: target.port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 }
  const [only] = addresses
  if (only !== undefined && addresses.length === 1) return { ...shared, host: only.address, family: only.family }
  return {
    ...shared,
    host: target.host,
    autoSelectFamily: true,
    lookup: (_hostname, _options, callback) => callback(null, [...addresses]),
  }
}

function isPinned(socket: Socket, addresses: readonly Address[], port: number, policy: EgressPolicy): boolean {
  const remote = socket.remoteAddress
  if (remote === undefined || policy.refusal(remote, port) !== null) return false
  const reached = keyOf(remote)
  return addresses.some(({ address }) => keyOf(address) === reached)
}

function keyOf(address: string): string {
  return unmapped(addressBytes(address) ?? []).join('.')
}
