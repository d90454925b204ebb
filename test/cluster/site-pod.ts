import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'

/**
 * Pages to watch, a receiver of webhooks, and a way to call the API, in a pod. Tests reach it through the API server.
 */

interface Call {
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly body?: string
}

const prices = new Map<string, string>()
const visits = new Map<string, number>()
const arrivals: { readonly path: string; readonly headers: IncomingMessage['headers']; readonly body: string }[] = []
const waiting = new Set<() => void>()
let isHolding = false

const page = (price: string) => `<!doctype html><title>A shop</title><b class="price">${price}</b>`
const rendered = (price: string) =>
  `<!doctype html><title>A shop</title><b class="price"></b>
  <script>document.querySelector('.price').textContent = ${JSON.stringify(price)}</script>`

/** Returns when pages are answered. */
const released = () => (isHolding ? new Promise<void>((resolve) => waiting.add(resolve)) : Promise.resolve())

async function answer(request: IncomingMessage): Promise<{ type: string; body: string }> {
  const [, action = '', ...rest] = (request.url ?? '/').split('/')
  const name = rest.join('/')
  const body = await text(request)
  const html = (content: string) => ({ type: 'text/html', body: content })
  const json = (content: unknown) => ({ type: 'application/json', body: JSON.stringify(content) })
  switch (`${request.method} ${action}`) {
    case 'GET static':
    case 'GET rendered':
      visits.set(name, (visits.get(name) ?? 0) + 1)
      await released()
      return html((action === 'static' ? page : rendered)(prices.get(name) ?? '$1'))
    case 'GET visits':
      return json(Object.fromEntries(visits))
    case 'GET arrivals':
      return json(arrivals)
    case 'POST price':
      prices.set(name, body)
      return json({ price: body })
    case 'POST hold':
      isHolding = true
      return json({ isHolding })
    case 'POST release':
      isHolding = false
      for (const resume of waiting) resume()
      waiting.clear()
      return json({ isHolding })
    case 'POST hook':
      arrivals.push({ path: name, headers: request.headers, body })
      return json({})
    case 'POST call':
      return json(await call(JSON.parse(body) as Call))
    default:
      return json({ name: 'a site of the tests' })
  }
}

async function call({ url, ...init }: Call): Promise<{ status: number; body: string }> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(20_000) })
    return { status: response.status, body: await response.text() }
  } catch (error) {
    return { status: 0, body: String(error) }
  }
}

createServer((request, response) => {
  void answer(request).then(
    ({ type, body }) => response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(body),
    (error: unknown) => response.writeHead(500).end(String(error)),
  )
}).listen(8080)
