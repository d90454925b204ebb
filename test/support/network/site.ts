import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Answer = (response: ServerResponse, request: IncomingMessage, nth: number) => void

/** A site on loopback that answers as a test says. */
export interface Site extends AsyncDisposable {
  readonly url: string
  /** The address without the last slash. */
  readonly origin: string
  readonly requests: readonly IncomingMessage[]
  answer(answer: Answer): void
  /** A page with one price, in `.price`. */
  price(text: string, headers?: Record<string, string>): void
  /** Sets the answer of one path, whatever its query, in its own way; text is HTML. Returns its address. */
  page(path: string, answer: string | Answer): string
}

interface SiteOptions {
  /** Default 127.0.0.1. */
  readonly address?: string
  /** What is answered until a test says otherwise. Default: a page with a price of $1. */
  readonly otherwise?: Answer
}

export const pageOf = (price: string, more = '') =>
  `<!doctype html><title>A kettle</title><b class="price">${price}</b>${more}`

export async function openSite({ address = '127.0.0.1', otherwise }: SiteOptions = {}): Promise<Site> {
  const requests: IncomingMessage[] = []
  const pages = new Map<string, Answer>()
  let current = otherwise ?? html(pageOf('$1'))
  const server = createServer((request, response) => {
    requests.push(request)
    const answer = pages.get((request.url ?? '').replace(/\?.*/, '')) ?? current
    answer(response, request, requests.length)
  })
  await new Promise<void>((resolve) => server.listen(0, address, 1024, resolve))
  const origin = `http://${address}:${(server.address() as AddressInfo).port}`
  return {
    url: `${origin}/`,
    origin,
    requests,
    answer: (answer) => (current = answer),
    price: (text, headers) => (current = html(pageOf(text), headers)),
    page(path, answer) {
      pages.set(path, typeof answer === 'string' ? html(answer) : answer)
      return origin + path
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export function html(text: string, headers: Record<string, string> = {}): Answer {
  return (response) => response.writeHead(200, { 'content-type': 'text/html', ...headers }).end(text)
}

export function status(code: number, headers: Record<string, string> = {}): Answer {
  return (response) => response.writeHead(code, { 'content-type': 'text/html', ...headers }).end('<p>no</p>')
}
