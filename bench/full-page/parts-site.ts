import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a site sends now. */
interface Answers {
  readonly body: Uint8Array
  readonly contentType: string
  readonly fetchedText: string
  readonly scriptText: string
}

/** A site on loopback with one page, whose address stays the same. */
interface PartsSite {
  readonly url: string
  send(answers: Answers): void
  close(): Promise<void>
}

/** Opens a site that sends nothing yet. It answers 404 for everything but its page and the parts of it. */
export async function openPartsSite(): Promise<PartsSite> {
  let now: Answers | null = null
  const answerOf = (path: string): readonly [type: string, body: Uint8Array | string] | null => {
    if (now === null) return null
    if (path === '/page') return [now.contentType, now.body]
    if (path === '/parts/data.json') return ['application/json', JSON.stringify({ text: now.fetchedText })]
    const write = `document.getElementById('tm-script').textContent = ${JSON.stringify(now.scriptText)}`
    return path === '/parts/text.js' ? ['text/javascript', write] : null
  }
  const server = createServer((request, response) => {
    const answer = answerOf(request.url?.split('?')[0] ?? '')
    if (answer === null) response.writeHead(404).end()
    else response.writeHead(200, { 'content-type': answer[0] }).end(answer[1])
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/page`,
    send(answers) {
      now = answers
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
