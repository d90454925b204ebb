import type { Socket } from 'node:net'
import { createSecureContext, type SecureContext } from 'node:tls'
import type { EgressFailure } from '../../../egress/egress-failure.ts'
import type { Detour } from '../../../egress/egress-proxy.ts'
import type { Endpoint } from '../../../egress/policy.ts'
import type { ProxyAddress } from './proxy-address.ts'
import { isGatewayStatus, type ProxyFailure, proxyStatus } from './proxy-failure.ts'
import { dialProxy, openTunnel } from './tunnel.ts'

interface ProxyRouteOptions {
  readonly proxy: ProxyAddress
  /** More headers for the proxy, as a runner's relay needs them. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The proxy takes requests for http targets with an absolute URL. False: it only opens tunnels. */
  readonly forwards?: boolean
  /** The connections are cut off when they have used this many bytes together. */
  readonly mostBytes: number
  /** PEM certificates to trust in place of Node's built-in list, for a proxy with TLS. */
  readonly ca?: string | readonly string[]
  /** Milliseconds for each of: reaching the proxy, its response to CONNECT. Default 10,000. */
  readonly stepMs?: number
}

/** The way of one rendered page through a proxy. Its connections are not shared with another page. */
export interface ProxyRoute extends Detour {
  /** Returns the bytes on the wire to and from the proxy. */
  bytes(): number
  /** Whether the bytes were used up and the connections were cut off. */
  readonly isCut: boolean
  /** The last failure of the proxy; null when it did not fail. */
  readonly failure: ProxyFailure | null
  close(): void
}

const STEP_MS = 10_000
const UNREACHED: EgressFailure = { kind: 'connect', cause: 'failed' }

/** Creates the route; it opens no connection yet. */
export function createProxyRoute(options: ProxyRouteOptions): ProxyRoute {
  return new CountedRoute(options)
}

class CountedRoute implements ProxyRoute {
  isCut = false
  failure: ProxyFailure | null = null
  readonly #options: ProxyRouteOptions
  readonly #context: SecureContext
  readonly #sockets: Socket[] = []
  #isClosed = false

  constructor(options: ProxyRouteOptions) {
    const { ca } = options
    this.#options = options
    this.#context = createSecureContext({ minVersion: 'TLSv1.2', ...(ca !== undefined && { ca: [ca].flat() }) })
  }

  bytes(): number {
    return this.#sockets.reduce((sum, socket) => sum + socket.bytesRead + socket.bytesWritten, 0)
  }

  async open(target: Endpoint, isTunnel: boolean): ReturnType<Detour['open']> {
    const { proxy, headers, forwards = true, stepMs = STEP_MS } = this.#options
    if (this.isCut || this.#isClosed) return { ok: false, failure: UNREACHED }
    const onSocket = (socket: Socket) => void this.#sockets.push(socket)
    const socket = await dialProxy(proxy, { context: this.#context, stepMs, onSocket })
    if ('cause' in socket) return this.#failed(socket)
    const passed = () => this.#count()
    if (!isTunnel && forwards) return { ok: true, socket, passed, proxy: this.#forwarding() }
    const failure = await openTunnel({
      socket,
      target,
      authorization: proxy.authorization,
      headers,
      answerMs: stepMs,
    })
    if (failure !== null) return this.#failed(failure)
    if (!this.#isClosed) return { ok: true, socket, passed }
    socket.destroy()
    return { ok: false, failure: UNREACHED }
  }

  close(): void {
    this.#isClosed = true
    for (const socket of this.#sockets) socket.destroy()
  }

  #forwarding() {
    const { authorization } = this.#options.proxy
    return {
      headers: authorization === null ? {} : { 'proxy-authorization': authorization },
      isOwn: (status: number) => {
        const isOwn = isGatewayStatus(status)
        if (isOwn) this.failure = proxyStatus(status)
        return isOwn
      },
    }
  }

  #failed(failure: ProxyFailure): { readonly ok: false; readonly failure: EgressFailure } {
    this.failure = failure
    return { ok: false, failure: UNREACHED }
  }

  #count(): void {
    if (this.isCut || this.bytes() <= this.#options.mostBytes) return
    this.isCut = true
    this.close()
  }
}
