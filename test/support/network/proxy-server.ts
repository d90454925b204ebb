import type { lookup, LookupOptions } from 'node:dns'
import { type ConnectionStats, type PrepareRequestFunctionOpts, Server } from 'proxy-chain'

export const USER = 'customer-7'
export const PASSWORD = 'p@ss:/word'
/** Where a site sees requests come from that the proxy made. */
export const EXIT_ADDRESS = '127.0.0.9'

/** A real proxy on loopback, with a login, whose requests come from an address of its own. */
export interface ProxyServer extends AsyncDisposable {
  readonly url: string
  /** What it was asked for: `CONNECT host:port` or `GET http://…`. */
  readonly asked: readonly string[]
  /** Bytes of all connections to it that have closed, as it counted them. */
  readonly bytes: () => number
  readonly closed: () => number
}

/** Every name is this machine. */
const dnsLookup = ((_name: string, { all }: LookupOptions, callback: (...found: readonly unknown[]) => void) =>
  all ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4)) as typeof lookup

export async function startProxy(tls?: { readonly cert: string; readonly key: string }): Promise<ProxyServer> {
  const asked: string[] = []
  const prepare = ({ username, password, request }: PrepareRequestFunctionOpts) => {
    asked.push(`${request.method} ${request.url}`)
    return { requestAuthentication: username !== USER || password !== PASSWORD, localAddress: EXIT_ADDRESS, dnsLookup }
  }
  let bytes = 0
  let closed = 0
  const base = { port: 0, host: '127.0.0.1', prepareRequestFunction: prepare }
  const server = new Server(tls ? { ...base, serverType: 'https', httpsOptions: tls } : base)
  server.on('connectionClosed', ({ stats }: { stats: ConnectionStats }) => {
    bytes += stats.srcRxBytes + stats.srcTxBytes
    closed += 1
  })
  await server.listen()
  const login = `${encodeURIComponent(USER)}:${encodeURIComponent(PASSWORD)}`
  return {
    url: `${tls ? 'https' : 'http'}://${login}@127.0.0.1:${server.port}`,
    asked,
    bytes: () => bytes,
    closed: () => closed,
    [Symbol.asyncDispose]: () => server.close(true),
  }
}
