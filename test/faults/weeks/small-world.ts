import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Pages that change as planned, destinations of webhooks, and a model: all on one address of loopback. */
export interface SmallWorld extends AsyncDisposable {
  readonly base: string
  /** Half days since the begin. The pages are a function of it. */
  turn(half: number): void
  /** Webhooks that arrived at each path. */
  readonly arrived: ReadonlyMap<string, number>
}

const HALVES_OF_A_WEEK = 14

export async function openSmallWorld(): Promise<SmallWorld> {
  const arrived = new Map<string, number>()
  let half = 0
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').replace(/\?.*/, '')
    // Its body is read, so that the connection may be kept.
    request.resume()
    if (path.startsWith('/hook/')) arrived.set(path, (arrived.get(path) ?? 0) + 1)
    request.on('end', () => answer(response, path, half))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 1024, resolve))
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    turn: (next) => (half = next),
    arrived,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function answer(response: ServerResponse, path: string, half: number): void {
  const [, kind, name] = path.split('/')
  const day = Math.floor(half / 2)
  const page = (body: string) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><title>Page</title>${body}`)
  if (kind === 'hook') response.writeHead(HOOKS[name ?? ''] ?? 204).end()
  else if (kind === 'v1') model(response)
  else if (kind === 'changes') page(`<b class="value">${name} in half ${half}</b>`)
  else if (kind === 'text') page(paragraphs(`${name} on day ${day}`))
  // It fails for four days of each week, which is long enough to be told, and then it works again.
  else if (kind === 'flaky' && half % HALVES_OF_A_WEEK < 8) response.writeHead(503).end()
  else if (kind === 'prompt') page(`<p>The kettle costs ${day} euros today.</p>`)
  else if (kind === 'picture') page(`<h1 style="background:hsl(${(day * 37) % 360} 90% 50%)">Day ${day}</h1>`)
  else page('<b class="value">always</b>')
}

const HOOKS: Readonly<Record<string, number>> = { refuses: 500, gone: 410 }

const paragraphs = (subject: string) =>
  Array.from({ length: 40 }, (_, n) => `<p>Paragraph ${n} of ${subject}, which somebody reads.</p>`).join('\n')

/** As the protocol of chat completions has it. */
function model(response: ServerResponse): void {
  const message = { role: 'assistant', content: JSON.stringify({ price: 7 }), refusal: null }
  const body = {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'a-model',
    choices: [{ index: 0, finish_reason: 'stop', message }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
