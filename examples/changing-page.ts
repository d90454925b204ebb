import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { shopPage } from './shop-page.ts'

/**
 * A page whose price changes on request, and a webhook receiver that checks signatures: `examples/README.md` explains
 * how to use them.
 */

const { values: options } = parseArgs({
  options: {
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '8181' },
    secret: { type: 'string' },
  },
})

/** Prices in dollars; the first one follows the last. */
const PRICES = [19.99, 17.49, 14.99, 21]
const TOLERANCE_SECONDS = 300
let changes = 0
/** Every monitor signs with its own secret. */
const secrets = options.secret === undefined ? [] : [options.secret]

const server = createServer((request, response) => {
  void answer(request, response)
}).listen(Number(options.port), options.host, () => {
  const { port } = server.address() as AddressInfo
  const base = `http://127.0.0.1:${port}`
  say(`the page       ${base}/         its price is ${price()}, in the element .price`)
  say(`change it      curl -X POST ${base}/change`)
  say(`the receiver   ${base}/hook`)
  say(`its secrets    ${secrets.length === 0 ? `curl -d YOUR_SIGNING_SECRET ${base}/secret` : 'one is set'}`)
})

server.on('error', (error) => {
  say(`cannot listen on port ${options.port}: ${error.message}; choose another one with --port`)
  process.exitCode = 1
})

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await bodyOf(request)
  switch (`${request.method} ${request.url}`) {
    case 'GET /':
      return end(response, 200, shopPage(dollars(), new Date()), 'text/html; charset=utf-8')
    case 'POST /change':
      changes++
      say(`changed: the price is ${price()} now`)
      return end(response, 200, `${price()}\n`)
    case 'POST /secret':
      secrets.push(body.toString().trim())
      say('the secret is set')
      return end(response, 200, 'The secret is set.\n')
    case 'POST /hook':
      return receive(request, body, response)
    default:
      return end(response, 404, 'There is GET /, POST /change, POST /secret and POST /hook.\n')
  }
}

function receive(request: IncomingMessage, body: Buffer, response: ServerResponse): void {
  const verdict = verify(String(request.headers['service-signature']), body)
  say(`received, ${verdict}:\n${indented(body.toString())}`)
  end(response, verdict === 'not verified' ? 400 : 200, `${verdict}\n`)
}

/** The check that every receiver should make: over the raw bytes, in constant time, and only for a recent time. */
function verify(header: string, body: Buffer): string {
  if (secrets.length === 0) return 'not checked, because no secret is set'
  const parts = header.split(',').map((part) => part.split('='))
  const time = parts.find(([name]) => name === 't')?.[1] ?? ''
  const given = parts.filter(([name]) => name === 'v1').map(([, hex = '']) => Buffer.from(hex, 'hex'))
  const expected = secrets.map((secret) => createHmac('sha256', secret).update(`${time}.`).update(body).digest())
  const isOurs = expected.some((one) => given.some((two) => one.length === two.length && timingSafeEqual(one, two)))
  const isNow = Math.abs(Date.now() / 1000 - Number(time)) <= TOLERANCE_SECONDS
  return isOurs && isNow ? 'verified' : 'not verified'
}

function dollars(): number {
  return PRICES[changes % PRICES.length] ?? 0
}

function price(): string {
  return `$${dollars().toFixed(2)}`
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  return Buffer.concat((await request.toArray()) as Buffer[])
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function end(response: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'content-type': type }).end(text)
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
