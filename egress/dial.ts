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

/** Opens a TCP connection; `net.connect` but in tests that count contacts. */
export type OpenSocket = (options: TcpNetConnectOpts) => Socket

export interface DialPorts {
  readonly policy: EgressPolicy
  readonly resolver: Resolver
  /** Milliseconds for the TCP connect, name lookup not included. */
  readonly connectMs: number
  readonly open?: OpenSocket
}

/** A name with hundreds of addresses is vetted whole, but not tried whole. */
const MOST_ATTEMPTS = 8

/**
 * Resolve-and-pin: vets every address of the target, dials vetted ones only, and looks once more at where the socket
 * ended up before a byte is written. Also the dialler of the egress proxy. Never rejects; a socket that is handed out
 * has a listener for errors.
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
    // Stays for good: between this and whoever takes the socket over, an error must not become an uncaught one.
    socket.on('error', (error) => {
      clearTimeout(timer)
      resolve({ ok: false, failure: connectFailure(error) })
    })
  })
}

/**
 * Several addresses go through Node's own Happy Eyeballs, whose lookup is answered with the vetted list and nothing
 * else.
 */
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
