import { Agent, request } from 'node:http'

export interface Sent {
  readonly method: string
  /** As it stands in the request line. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | null
}

export interface Received {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  readonly ms: number
}

export interface Client {
  /** Rejects when no answer comes. */
  send(sent: Sent): Promise<Received>
  close(): void
}

const PATIENCE_MS = 60_000

/** Sends requests as they are: no address is tidied up, no header added but the length. */
export function createClient(origin: string): Client {
  const { hostname, port } = new URL(origin)
  const agent = new Agent({ keepAlive: true })
  return {
    send: ({ method, target, headers, body }) =>
      new Promise((resolve, reject) => {
        const began = performance.now()
        const length = body === null ? {} : { 'content-length': String(body.length) }
        const call = request({
          agent,
          hostname,
          port,
          method,
          path: target,
          headers: { ...headers, ...length },
          timeout: PATIENCE_MS,
        })
        call.on('response', (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('error', reject)
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString()
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text,
              ms: performance.now() - began,
            })
          })
        })
        call.on('timeout', () => call.destroy(new Error(`no answer in ${PATIENCE_MS / 1000} s`)))
        call.on('error', reject)
        call.end(body ?? undefined)
      }),
    close: () => agent.destroy(),
  }
}
