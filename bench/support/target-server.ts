import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerParent } from './child.ts'
import { LARGE_PAGE_BYTES, largePage } from './large-page.ts'
import { shopPage } from './page.ts'

/**
 * `open`: starts to listen and returns the port. `count`: returns the number of requests since the last `count`.
 * `window`: returns the milliseconds from the first of them to the last.
 */
export type TargetQuestion = 'open' | 'count' | 'window'

/**
 * The watched shop, in a process of its own. `/unchanged/…`: one body, no validators; `/etag/…`: 304 for a client that
 * has it; `/changed/…`: another price each time; `/large/…`: the same on a large page.
 */
const ETAG = '"shop-41"'
const body = Buffer.from(shopPage(100_000))
const headers = { 'content-type': 'text/html; charset=utf-8', 'content-length': body.byteLength }
const largeHeaders = { ...headers, 'content-length': LARGE_PAGE_BYTES }
const withEtag = { ...headers, etag: ETAG }
const etagOnly = { etag: ETAG }
let requests = 0
let [firstAt, lastAt] = [0, 0]
let cents = 100_000

const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
  requests++
  lastAt = performance.now()
  if (requests === 1) firstAt = lastAt
  const path = request.url ?? ''
  if (path.startsWith('/changed/')) {
    cents = 100_000 + ((cents + 1) % 800_000)
    response.writeHead(200, headers).end(shopPage(cents))
  } else if (path.startsWith('/large/')) {
    cents = 100_000 + ((cents + 1) % 800_000)
    response.writeHead(200, largeHeaders).end(largePage(cents))
  } else if (path.startsWith('/etag/')) {
    if (request.headers['if-none-match'] === ETAG) response.writeHead(304, etagOnly).end()
    else response.writeHead(200, withEtag).end(body)
  } else response.writeHead(200, headers).end(body)
})

answerParent(async ({ what }: { what: TargetQuestion }): Promise<number> => {
  if (what === 'open') {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return (server.address() as AddressInfo).port
  }
  if (what === 'window') return lastAt - firstAt
  const count = requests
  requests = 0
  return count
})
