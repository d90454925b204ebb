import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A webhook as it arrived. */
export interface Arrival {
  /** The delivery's id, from the body. */
  readonly id: string
  /** The page's number, from the path. */
  readonly page: number
  /** The exact bytes, as text. */
  readonly body: string
  readonly before: string | null
  readonly after: string | null
  /** What was answered; null while it waits, and when the sender left without an answer. */
  status: number | null
}

/** Records each webhook. */
export interface Sink extends AsyncDisposable {
  readonly base: string
  readonly arrivals: readonly Arrival[]
  /** The answers from now on; 204 at first. */
  answerWith(status: number): void
  /** Each answer waits this long, in milliseconds. */
  slowDown(ms: number): void
  hold(): void
  letGo(): void
  readonly waiting: number
}

export async function openSink(): Promise<Sink> {
  const arrivals: Arrival[] = []
  const waiting = new Set<() => void>()
  let status = 204
  let delayMs = 0
  let isHolding = false
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const arrival = read(Number(request.url?.slice(1)), Buffer.concat(chunks).toString())
      arrivals.push(arrival)
      const answer = () => {
        waiting.delete(answer)
        arrival.status = status
        response.writeHead(status).end()
      }
      let timer: NodeJS.Timeout | undefined
      if (isHolding) waiting.add(answer)
      else if (delayMs > 0) timer = setTimeout(answer, delayMs)
      else answer()
      response.on('close', () => {
        clearTimeout(timer)
        waiting.delete(answer)
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 1024, resolve))
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals,
    answerWith: (code) => (status = code),
    slowDown: (ms) => (delayMs = ms),
    hold: () => (isHolding = true),
    letGo() {
      isHolding = false
      for (const answer of waiting) answer()
    },
    get waiting() {
      return waiting.size
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface Message {
  readonly id: string
  readonly diff: { readonly before: { version?: string }; readonly after: { version?: string } }
}

function read(page: number, body: string): Arrival {
  const { id, diff } = JSON.parse(body) as Message
  return { id, page, body, before: diff.before.version ?? null, after: diff.after.version ?? null, status: null }
}
