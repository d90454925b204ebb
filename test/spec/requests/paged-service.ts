import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'vitest'
import { createPolicy } from '../../../egress/policy.ts'
import { createPreviews } from '../../../worker/previews/previews.ts'
import { createMonitor, MONITOR } from '../../support/api/monitor-requests.ts'
import { serveApi } from '../../support/api/served-api.ts'
import { eventually } from '../../support/run/eventually.ts'
import { type RunningWorker, startWorker } from '../../support/worker/check-worker.ts'

/** A request as it arrived. */
export interface Asked {
  readonly method: string
  readonly url: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

interface Answer {
  readonly status?: number
  readonly headers?: Record<string, string | string[]>
  /** JSON, unless it is text. */
  readonly body: unknown
}

interface Run {
  readonly id: string
  readonly status: string
  readonly extracted: Readonly<Record<string, unknown>>
  readonly diff: object
  readonly fetch_method: string | null
  readonly error_code: string | null
  readonly error_message: string | null
  readonly warnings: readonly string[]
}

export type Service = (asked: Asked, nth: number) => Answer | 'hang'

/** A service on loopback, by path: each test has a path of its own. */
async function openService() {
  const services = new Map<string, { answer: Service; asked: Asked[] }>()
  const server = createServer((request, response) => void respond(request, response))
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    request.setEncoding('utf8')
    for await (const chunk of request) body += String(chunk)
    const url = new URL(request.url ?? '', 'http://x/')
    const service = services.get(url.pathname.split('/')[1] ?? '')
    if (!service) return void response.writeHead(404).end()
    const asked = {
      method: request.method ?? '',
      url: request.url ?? '',
      query: url.searchParams,
      headers: request.headers,
      body,
    }
    service.asked.push(asked)
    const answer = service.answer(asked, service.asked.length)
    if (answer === 'hang') return
    const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body)
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers }).end(text)
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    services,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

let made = 0

/** An API, a worker, and a service whose answers a test says. */
export async function openPagedService() {
  const site = await openService()
  const egress = createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] })
  const previews = createPreviews({ egress })
  let worker: RunningWorker | undefined
  const served = await serveApi('scale', { egress, previews, wake: () => worker?.loop.wake() })
  worker = await startWorker({ url: served.api.databaseUrl, secrets: served.api.services.secrets })

  const ended = (read: () => Promise<Run | undefined>) =>
    eventually(read, (run) => run !== undefined && run.status !== 'running').then((run) => {
      if (!run) throw new Error('there is no run')
      return run
    })

  return {
    served,
    /** The origin of the service under another name of this machine. */
    otherOrigin: `http://localhost:${site.port}`,
    /** What a preview of a service of its own answers. */
    async preview(answer: Service, request_config: object) {
      const name = `s${++made}`
      site.services.set(name, { answer, asked: [] })
      const { body } = await served.me.post('/v1/monitors/preview', {
        ...MONITOR,
        url: `http://127.0.0.1:${site.port}/${name}`,
        extract_config: { method: 'json_path', fields: { ids: '$[*].id' } },
        request_config,
      })
      return body
    },
    /** Makes a monitor of a service of its own and waits for its first run. */
    async watch(
      answer: Service,
      request_config: object,
      more: { readonly path?: string; readonly [key: string]: unknown } = {},
    ) {
      const name = `s${++made}`
      const service: { answer: Service; asked: Asked[] } = { answer, asked: [] }
      site.services.set(name, service)
      const { path = '', ...rest } = more
      const monitor = await createMonitor(served.me, {
        url: `http://127.0.0.1:${site.port}/${name}${path}`,
        extract_config: { method: 'json_path', fields: { ids: '$[*].id', all: '$' } },
        schedule_interval_seconds: 86_400,
        request_config,
        ...rest,
      })
      const run = await ended(
        async () => (await served.me.get(`/v1/monitors/${monitor.id}/runs`)).body.data[0] as unknown as Run | undefined,
      )
      const again = async (next: Service = answer): Promise<Run> => {
        service.answer = next
        const { body } = await served.me.post(`/v1/monitors/${monitor.id}/run`)
        return ended(async () => (await served.me.get(`/v1/runs/${body.run_id}`)).body as unknown as Run)
      }
      return { run, asked: service.asked, again, name, monitor }
    },
    async close() {
      await worker?.stop(5_000)
      await previews.close()
      await served.close()
      await site.close()
      expect(worker?.log).toEqual([])
    },
  }
}

export const ids = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => ({ id: from + i }))
export const numbers = (from: number, to: number) => ids(from, to).map(({ id }) => id)
