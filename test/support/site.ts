import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Answer = (response: ServerResponse, request: IncomingMessage, nth: number) => void

/** A site on loopback that answers as a test says. */
export interface Site extends AsyncDisposable {
  readonly url: string
  readonly requests: readonly IncomingMessage[]
  answer(answer: Answer): void
  /** A page with one price, in `.price`. */
  price(text: string, headers?: Record<string, string>): void
}

export const pageOf = (price: string, more = '') =>
  `<!doctype html><title>A kettle</title><b class="price">${price}</b>${more}`

export async function openSite(): Promise<Site> {
  const requests: IncomingMessage[] = []
  let current: Answer = html(pageOf('$1'))
  const server = createServer((request, response) => {
    requests.push(request)
    current(response, request, requests.length)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 1024, resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests,
    answer: (answer) => (current = answer),
    price: (text, headers) => (current = html(pageOf(text), headers)),
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
