import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A question as it came over the wire. */
interface SeenQuestion {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: {
    readonly model: string
    readonly messages: readonly { readonly role: string; readonly content: string }[]
    readonly temperature?: number
    readonly max_tokens?: number
    readonly max_completion_tokens?: number
    readonly response_format?: {
      readonly type: string
      readonly json_schema?: { readonly schema: Record<string, unknown>; readonly strict: boolean }
    }
  }
  /** All that the model is told, in one text. */
  readonly text: string
}

/** What the model says; or the whole answer of its server. */
type Behaviour = (question: SeenQuestion, nth: number, response: ServerResponse) => string | object | void

/** A server on loopback that speaks the protocol of chat completions, and says what a test wants. */
export interface ModelServer extends AsyncDisposable {
  readonly baseUrl: string
  readonly questions: SeenQuestion[]
  /** Questions under way now, and at most so far. */
  readonly load: { now: number; most: number }
  says(behaviour: Behaviour | string | object): void
}

export async function openModelServer(): Promise<ModelServer> {
  const questions: SeenQuestion[] = []
  const load = { now: 0, most: 0 }
  let behaviour: Behaviour = () => 'null'
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as SeenQuestion['body']
      const text = body.messages.map(({ content }) => content).join('\n\n')
      const question = { path: request.url ?? '', headers: request.headers, body, text }
      questions.push(question)
      load.now += 1
      load.most = Math.max(load.most, load.now)
      response.on('close', () => (load.now -= 1))
      const said = behaviour(question, questions.length, response)
      if (said !== undefined) complete(response, said)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    questions,
    load,
    says: (next) => (behaviour = typeof next === 'function' ? (next as Behaviour) : () => next),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Responds as the protocol has it: words as they are, objects as JSON. */
export function complete(response: ServerResponse, said: string | object, finish_reason = 'stop'): void {
  const content = typeof said === 'string' ? said : JSON.stringify(said)
  send(response, 200, {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'a-model',
    choices: [{ index: 0, finish_reason, message: { role: 'assistant', content, refusal: null } }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  })
}

export function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
}

/** As endpoints tell of an error. */
export function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Record<string, string> = {},
): void {
  send(response, status, { error: { message, type: 'invalid_request_error', code: null, param: null } }, headers)
}
