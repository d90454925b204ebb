import { Agent, request } from 'undici'

/** An answer that is larger than any that could be used. */
export class TooLargeError extends Error {
  override readonly name = 'TooLargeError'
}

/** A connection to the model's endpoint, as the client wants it. */
interface ModelFetch {
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>
  close(): Promise<void>
}

interface ModelFetchOptions {
  readonly connections: number
  /** Bytes of an answer, at most. */
  readonly maxBytes: number
}

/**
 * Requests to an address that the operator of this installation named, and to no other: it is trusted and bypasses the
 * guard, so no redirect is followed. The whole answer is read here under a limit, before the client sees it: the client
 * itself reads without end. Nothing is asked to be compressed, and what is compressed is not unpacked.
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
        // Leaving the loop ends the connection.
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

/** What the client and we look at. */
const KEPT = new Set(['content-type', 'retry-after', 'retry-after-ms', 'x-request-id'])
