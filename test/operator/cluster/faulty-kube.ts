import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Agent, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { sleep } from '../../../concurrency/loops/sleep.ts'
import type { KubeApi } from '../../support/kubernetes/kube-api.ts'

type Fault =
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: number }
  | { readonly kind: 'reset' }
  /** The request is passed on, and its answer is lost. */
  | { readonly kind: 'unanswered' }
  /** The request waits before it is passed on. */
  | { readonly kind: 'late'; readonly ms: number }
  /** The watch goes on, and nothing gets through any more. */
  | { readonly kind: 'stall' }
  /** Each event comes twice. */
  | { readonly kind: 'double' }
  /** Of each two events, the second comes first. */
  | { readonly kind: 'swap' }
  /** The first event is lost, and the others come. */
  | { readonly kind: 'lose' }
  /** An event is cut off in the middle, and the connection ends. */
  | { readonly kind: 'half' }
  /** An event shows its object without data, as under an older definition, and the watch ends before its time. */
  | { readonly kind: 'bare' }
  | { readonly kind: 'expired' }

/** A request that is on its way. */
export interface KeptRequest {
  /** Resolves when the request has come. */
  readonly came: Promise<void>
  /** Passes it on, and resolves with the status of its answer. */
  letGo(): Promise<number>
}

/** A way to a real API server that a test spoils. */
export interface FaultyKube extends AsyncDisposable {
  readonly kubeconfig: string
  /** The next requests that `which` matches meet the fault, this many of them. */
  spoil(which: RegExp, fault: Fault, times?: number): void
  /** Ends the faults that no request has met. */
  clear(): void
  /** Keeps the next request that `which` matches, until it is let go. The caller may be gone by then. */
  keep(which: RegExp): KeptRequest
  /** Requests that came through, as `METHOD path`. */
  readonly seen: readonly string[]
  /** Resets the watches that are open now. */
  cut(): void
}

export async function createFaultyKube(kube: KubeApi, folder: string): Promise<FaultyKube> {
  const config = JSON.parse(await readFile(kube.kubeconfig, 'utf8')) as {
    clusters: [
      { cluster: { server: string; 'certificate-authority-data'?: string; 'insecure-skip-tls-verify'?: boolean } },
    ]
  }
  const { cluster } = config.clusters[0]
  const agent = new Agent({ keepAlive: true, ca: Buffer.from(cluster['certificate-authority-data'] ?? '', 'base64') })
  const spoilt: { which: RegExp; fault: Fault; times: number }[] = []
  const keepers: { which: RegExp; came: () => void; goes: Promise<void>; answered: (status: number) => void }[] = []
  const seen: string[] = []
  const open = new Set<ServerResponse>()
  const stopping = new AbortController()

  const server: Server = createServer((incoming, response) => void pass(incoming, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cluster.server = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  delete cluster['certificate-authority-data']
  // The library refuses plain HTTP without it.
  cluster['insecure-skip-tls-verify'] = true
  const kubeconfig = join(folder, `faulty-${Math.random().toString(36).slice(2)}`)
  await writeFile(kubeconfig, JSON.stringify(config))

  /** Waits where the request is to be kept; returns who keeps it. */
  async function kept(what: string) {
    const index = keepers.findIndex(({ which }) => which.test(what))
    const [keeper] = index < 0 ? [] : keepers.splice(index, 1)
    keeper?.came()
    await keeper?.goes
    return keeper
  }

  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const what = `${incoming.method} ${incoming.url}`
    seen.push(what)
    const index = spoilt.findIndex(({ which }) => which.test(what))
    const fault = spoilt[index]?.fault
    const met = spoilt[index]
    if (met && (met.times -= 1) === 0) spoilt.splice(index, 1)
    if (fault?.kind === 'reset') return void response.socket?.resetAndDestroy()
    if (fault?.kind === 'status') {
      incoming.resume()
      const after = fault.retryAfter === undefined ? {} : { 'retry-after': String(fault.retryAfter) }
      response.writeHead(fault.status, { 'content-type': 'application/json', ...after })
      return void response.end(JSON.stringify({ kind: 'Status', code: fault.status, reason: 'Spoilt' }))
    }
    if (fault?.kind === 'late') await sleep(fault.ms, stopping.signal)
    if (response.destroyed) return
    const chunks: Buffer[] = []
    for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk)
    const keeping = await kept(what)
    const { host: _, connection: __, 'content-length': ___, 'transfer-encoding': ____, ...headers } = incoming.headers
    const sent = request(new URL(incoming.url ?? '/', kube.url), { method: incoming.method, agent, headers })
    sent.on('error', () => response.socket?.resetAndDestroy())
    sent.on('response', (answer) => {
      keeping?.answered(answer.statusCode ?? 0)
      if (fault?.kind === 'unanswered') {
        answer.resume()
        return void response.socket?.resetAndDestroy()
      }
      const { 'transfer-encoding': _____, ...passed } = answer.headers
      response.writeHead(answer.statusCode ?? 502, passed)
      response.flushHeaders()
      open.add(response)
      response.on('close', () => {
        open.delete(response)
        answer.destroy()
      })
      // The server went away in the middle of its answer.
      answer.on('error', () => response.socket?.resetAndDestroy())
      if (fault && fault.kind !== 'late') spoilBody(fault, answer, response)
      else answer.pipe(response)
    })
    sent.end(Buffer.concat(chunks))
  }

  return {
    kubeconfig,
    seen,
    spoil: (which, fault, times = 1) => void spoilt.push({ which, fault, times }),
    clear: () => void spoilt.splice(0),
    keep(which) {
      const came = Promise.withResolvers<void>()
      const goes = Promise.withResolvers<void>()
      const answered = Promise.withResolvers<number>()
      keepers.push({ which, came: came.resolve, goes: goes.promise, answered: answered.resolve })
      return {
        came: came.promise,
        letGo() {
          goes.resolve()
          return answered.promise
        },
      }
    },
    cut: () => open.forEach((response) => response.socket?.resetAndDestroy()),
    async [Symbol.asyncDispose]() {
      stopping.abort()
      server.closeAllConnections()
      agent.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function spoilBody(fault: Fault, answer: IncomingMessage, response: ServerResponse): void {
  let rest = ''
  let hasLost = false
  let waiting: string | null = null
  if (fault.kind === 'stall') return void answer.resume()
  if (fault.kind === 'expired') {
    answer.resume()
    return void response.end(`${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code: 410 } })}\n`)
  }
  answer.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (fault.kind === 'lose') {
        if (hasLost) response.write(`${line}\n`)
        hasLost = true
        continue
      }
      if (fault.kind === 'half') {
        response.write(line.slice(0, line.length / 2), () => response.socket?.resetAndDestroy())
        return
      }
      if (fault.kind === 'bare') {
        const event = JSON.parse(line) as { object: { data?: unknown } }
        delete event.object.data
        return void response.end(`${JSON.stringify(event)}\n`)
      }
      if (fault.kind === 'double') response.write(`${line}\n${line}\n`)
      else if (waiting === null) waiting = line
      else {
        response.write(`${line}\n${waiting}\n`)
        waiting = null
      }
    }
  })
  answer.on('end', () => response.end())
}
