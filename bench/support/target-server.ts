import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerParent } from './child.ts'
import { shopPage } from './page.ts'

/** `open`: starts to listen and returns the port. `count`: returns the number of requests since the last `count`. */
export type TargetQuestion = 'open' | 'count'

/**
 * The watched shop, in a process of its own. `/unchanged/…`: one body, no validators; `/etag/…`: 304 for a client that
 * has it; `/changed/…`: another price each time.
 */
const ETAG = '"shop-41"'
const body = Buffer.from(shopPage(100_000))
const headers = { 'content-type': 'text/html; charset=utf-8', 'content-length': body.byteLength }
const withEtag = { ...headers, etag: ETAG }
const etagOnly = { etag: ETAG }
let requests = 0
let cents = 100_000

const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
  requests++
  const path = request.url ?? ''
  if (path.startsWith('/changed/')) {
    cents = 100_000 + ((cents + 1) % 800_000)
    response.writeHead(200, headers).end(shopPage(cents))
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
  const count = requests
  requests = 0
  return count
})
