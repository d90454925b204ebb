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
  readonly forMs: number
}

const prices = new Map<string, string>()
/** The addresses that asked for a page, one for each time. */
const visitors = new Map<string, string[]>()
const arrivals: { readonly path: string; readonly headers: IncomingMessage['headers']; readonly body: string }[] = []
/** Kinds of pages that do not answer, with the requests that wait. */
const held = new Map<string, Set<() => void>>()

const page = (price: string) => `<!doctype html><title>A shop</title><b class="price">${price}</b>`
const rendered = (price: string) =>
  `<!doctype html><title>A shop</title><b class="price"></b>
  <script>document.querySelector('.price').textContent = ${JSON.stringify(price)}</script>`
/** Milliseconds for which a document waits for the gate. A browser waits a little longer. */
const DOCUMENT_MS = 12_000
/** Its price comes when the gate is open: a browser waits for it longer than for any document. */
const late = (name: string) =>
  `<!doctype html><title>A shop</title><b class="price"></b>
  <script type="module">
    const price = document.querySelector('.price')
    price.textContent = await (await fetch('/gate/${name}')).text()
    price.classList.add('shown')
  </script>`

/** Returns when pages of a kind are answered. */
const released = (kind: string) =>
  held.has(kind) ? new Promise<void>((resolve) => held.get(kind)?.add(resolve)) : Promise.resolve()

function visited(name: string, { socket }: IncomingMessage): void {
  const from = (socket.remoteAddress ?? '').replace(/^::ffff:/, '')
  visitors.set(name, [...(visitors.get(name) ?? []), from])
}

async function answer(request: IncomingMessage): Promise<{ type: string; body: string }> {
  const [, action = '', ...rest] = (request.url ?? '/').split('/')
  const name = rest.join('/')
  const body = await text(request)
  const html = (content: string) => ({ type: 'text/html', body: content })
  const json = (content: unknown) => ({ type: 'application/json', body: JSON.stringify(content) })
  switch (`${request.method} ${action}`) {
    case 'GET static':
    case 'GET rendered':
      visited(name, request)
      await released(action)
      return html((action === 'static' ? page : rendered)(prices.get(name) ?? '$1'))
    case 'GET late':
      visited(name, request)
      await Promise.race([released('gate'), new Promise((resolve) => setTimeout(resolve, DOCUMENT_MS))])
      return html(late(name))
    case 'GET gate':
      await released(action)
      return { type: 'text/plain', body: prices.get(name) ?? '$1' }
    case 'GET visitors':
      return json(Object.fromEntries(visitors))
    case 'GET arrivals':
      return json(arrivals)
    case 'POST price':
      prices.set(name, JSON.parse(body) as string)
      return json({ price: prices.get(name) })
    case 'POST hold':
      if (!held.has(name)) held.set(name, new Set())
      return json({ held: [...held.keys()] })
    case 'POST release':
      for (const resume of held.get(name) ?? []) resume()
      held.delete(name)
      return json({ held: [...held.keys()] })
    case 'POST hook':
      arrivals.push({ path: name, headers: request.headers, body })
      return json({})
    case 'POST call':
      return json(await call(JSON.parse(body) as Call))
    default:
      return json({ name: 'a site of the tests' })
  }
}

async function call({ url, forMs, ...init }: Call): Promise<{ status: number; body: string }> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(forMs) })
    return { status: response.status, body: await response.text() }
  } catch (error) {
    return { status: 0, body: String(error) }
  }
}

const server = createServer((request, response) => {
  void answer(request).then(
    ({ type, body }) => response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(body),
    (error: unknown) => response.writeHead(500).end(String(error)),
  )
})
// An idle connection is never closed from here: the API server would send a request on it at the same moment, and would
// not send it again.
server.keepAliveTimeout = 0
server.listen(8080)
