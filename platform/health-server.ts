import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type Health, mayReadMetrics, METRICS_TYPE, type MetricsToken, openToAll } from '../core/health.ts'
import type { Logger } from '../core/logger.ts'
import { CONNECTION_LIMITS, endConnection, guardConnections, type OnRefused } from './connection-guard.ts'

/** Serves `/healthz`, `/readyz` and `/metrics` on a separate port. */
export interface HealthServer {
  readonly port: number
  close(): Promise<void>
}

interface HealthServerOptions {
  readonly host: string
  readonly port: number
  /** What a request for the metrics must send; undefined: nothing. */
  readonly token?: MetricsToken
  /** Open connections of one client address. Default: CONNECTIONS_PER_ADDRESS. */
  readonly perAddress?: number
  readonly onRefused?: OnRefused | undefined
  /** Says the address, which a port of 0 leaves open. */
  readonly log?: Pick<Logger, 'info'>
}

/**
 * Starts the server. Rejects when the port cannot be opened. It uses no web framework, so that a runner, which has no
 * other server, loads none.
 */
export async function startHealthServer(
  health: Health,
  { host, port, token = openToAll, perAddress, onRefused, log }: HealthServerOptions,
): Promise<HealthServer> {
  const limits = { ...CONNECTION_LIMITS, headersTimeout: 10_000, requestTimeout: 10_000 }
  const server = createServer(limits, requestListener(health, token))
  server.on('clientError', (_error, socket: Socket) => endConnection(socket, REFUSED))
  guardConnections(server, { onRefused, ...(perAddress !== undefined && { perAddress }) })
  server.listen({ host, port })
  await once(server, 'listening')
  const { port: open } = server.address() as AddressInfo
  log?.info({ address: `http://${host.includes(':') ? `[${host}]` : host}:${open}` }, 'metrics listening')
  return {
    port: open,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeIdleConnections()
      await closed
    },
  }
}

function requestListener(health: Health, token: MetricsToken): RequestListener {
  return (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? ''
    const answer = ROUTES[path]
    if (answer === undefined) return send(response, { status: 404, body: json({ status: 'not found' }) })
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return send(response.setHeader('allow', 'GET, HEAD'), METHOD_NOT_ALLOWED)
    if (path === '/metrics' && !mayReadMetrics(token(), request.headers.authorization))
      return send(response, { status: 401, body: json({ status: 'unauthorized' }) })
    answer(health).then(
      (found) => send(response, found),
      () => send(response, { status: 500, body: json({ status: 'error' }) }),
    )
  }
}

interface HealthResponse {
  readonly status: number
  readonly type?: string
  readonly body: string
}

const ROUTES: Readonly<Record<string, (health: Health) => Promise<HealthResponse>>> = {
  '/healthz': async () => ({ status: 200, body: json({ status: 'ok' }) }),
  '/readyz': async (health) => {
    const { ok, checks } = await health.ready()
    return { status: ok ? 200 : 503, body: json({ status: ok ? 'ok' : 'unavailable', checks }) }
  },
  '/metrics': async (health) => ({ status: 200, type: METRICS_TYPE, body: await health.metrics() }),
}

/** For a request that is late or is not HTTP. */
const REFUSED = 'HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'

const json = (value: object): string => JSON.stringify(value)

const METHOD_NOT_ALLOWED: HealthResponse = { status: 405, body: json({ status: 'method not allowed' }) }

function send(
  response: ServerResponse,
  { status, type = 'application/json; charset=utf-8', body }: HealthResponse,
): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) })
  response.end(body)
}
