import { Agent, request } from 'undici'

/** The answer is larger than any usable answer. */
export class TooLargeError extends Error {
  override readonly name = 'TooLargeError'
}

/** A connection to the model's endpoint, in the form that the client needs. */
interface ModelFetch {
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>
  close(): Promise<void>
}

interface ModelFetchOptions {
  readonly connections: number
  /** The most bytes of an answer. */
  readonly maxBytes: number
}

/**
 * Sends requests only to the address that the operator of this installation configured. That address is trusted and
 * bypasses the egress guard, so redirects are not followed. The whole answer is read here under a limit before the
 * client gets it, because the client itself reads without a limit. No compression is requested, and a compressed answer
 * is not decompressed.
 */
export function createModelFetch({ connections, maxBytes }: ModelFetchOptions): ModelFetch {
  const agent = new Agent({ connections, connect: { timeout: 5_000 }, headersTimeout: 0, bodyTimeout: 0 })
  return {
    async fetch(input, init = {}) {
      const { statusCode, headers, body } = await request(input instanceof Request ? input.url : input, {
        method: (init.method ?? 'GET') as 'GET' | 'POST',
        headers: { ...Object.fromEntries(new Headers(init.headers)), 'accept-encoding': 'identity' },
        body: typeof init.body === 'string' ? init.body : null,
        signal: init.signal ?? null,
        dispatcher: agent,
      })
      const chunks: Buffer[] = []
      let size = 0
      for await (const chunk of body as AsyncIterable<Buffer>) {
        size += chunk.length
        // Leaving the loop closes the connection.
        if (size > maxBytes) throw new TooLargeError(`more than ${maxBytes} bytes`)
        chunks.push(chunk)
      }
      const kept = Object.entries(headers).flatMap(([name, value]) =>
        typeof value === 'string' && KEPT.has(name) ? [[name, value] as [string, string]] : [],
      )
      const hasBody = statusCode !== 204 && statusCode !== 205 && statusCode !== 304
      return new Response(hasBody ? Buffer.concat(chunks) : null, { status: statusCode, headers: kept })
    },
    close: () => agent.destroy(),
  }
}

/** The headers that the client and we use. */
const KEPT = new Set(['content-type', 'retry-after', 'retry-after-ms', 'x-request-id'])
