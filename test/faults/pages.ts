import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * A site whose pages count their versions: page `n` is at `/n`, says its version in `.version`, and lists all versions
 * so far. Every change is known.
 */
export interface Pages extends AsyncDisposable {
  readonly base: string
  version(n: number): number
  change(n: number): void
  /** Each answer waits this long, in milliseconds. */
  slowDown(ms: number): void
  /** From now on nobody is answered, until `letGo`, which answers those that still wait. */
  hold(): void
  letGo(): void
  /** Requests that wait for an answer. */
  readonly waiting: number
  /** Requests so far, of one page or of all. */
  requests(n?: number): number
}

export async function openPages(count: number): Promise<Pages> {
  const versions = Array.from({ length: count }, () => 1)
  const counts = Array.from({ length: count }, () => 0)
  const waiting = new Set<() => void>()
  let delayMs = 0
  let isHolding = false
  const server = createServer((request, response) => {
    const n = Number(request.url?.slice(1))
    counts[n] = (counts[n] ?? 0) + 1
    const answer = () => {
      waiting.delete(answer)
      tell(response, n, versions[n] ?? 0)
    }
    if (isHolding) waiting.add(answer)
    else if (delayMs > 0) setTimeout(answer, delayMs)
    else answer()
    response.on('close', () => waiting.delete(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 1024, resolve))
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    version: (n) => versions[n] ?? 0,
    change: (n) => (versions[n] = (versions[n] ?? 0) + 1),
    slowDown: (ms) => (delayMs = ms),
    hold: () => (isHolding = true),
    letGo() {
      isHolding = false
      for (const answer of waiting) answer()
    },
    get waiting() {
      return waiting.size
    },
    requests: (n) => (n === undefined ? counts.reduce((sum, one) => sum + one, 0) : (counts[n] ?? 0)),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function tell(response: ServerResponse, n: number, version: number): void {
  const versions = Array.from({ length: version }, (_, nth) => `<li>v${nth + 1}`).join('')
  const body = `<!doctype html><title>Page ${n}</title><b class="version">v${version}</b><ul>${versions}</ul>`
  response.writeHead(200, { 'content-type': 'text/html', etag: `"${version}"` }).end(body)
}
