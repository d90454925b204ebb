import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { printable } from '../../../core/printable.ts'
import { sign, verify } from '../../../core/signature.ts'
import { print, tell } from '../../../platform/print.ts'
import type { ProcessIo } from '../../../platform/process-io.ts'
import { exitCode } from '../../exit-codes.ts'
import { coloured, formOf, isForPrograms, partText } from '../../output.ts'
import { type CommonOptions, connect } from '../connect.ts'
import { findRecord, pathOf, referencesOf } from '../records.ts'
import type { Handler } from '../remote-command.ts'
import { RemoteError } from '../remote-error.ts'

interface WebhookOptions {
  readonly port: number
  readonly count?: number
  readonly test?: boolean
}

/** A delivery is smaller than this. */
const MAX_BODY = 4 * 1024 * 1024
const MAX_TEXT = 2_000
/** Of a delivery that was verified before: it is repeated, or somebody who has seen it sends it again. */
const AGAIN = ', and was received before: a receiver does nothing for an id that it knows'
const WHY = {
  malformed: 'the header Service-Signature is missing or cannot be read',
  expired: 'the signature is more than five minutes old or ahead: is the clock of this machine right?',
  mismatch: 'the secret is another one, or the body was changed on its way',
} as const

/** Receives webhooks on this machine, checks their signatures, and prints them. */
export const verifyWebhook: Handler<WebhookOptions> = async ({ io, words, options }) => {
  const secrets = await secretsOf(io, words, options)
  let left = options.count ?? Number.POSITIVE_INFINITY
  let ending = exitCode('ok')
  const ended = Promise.withResolvers<number>()
  const form = formOf(options)
  const known = new Set<string>()
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await bodyOf(request)
    if (body === null) return void response.writeHead(413, { connection: 'close' }).end()
    const header = String(request.headers['service-signature'] ?? '')
    const verdict = verify({ header, rawBody: body, secrets, nowSeconds: Date.now() / 1_000 })
    const { value, id } = readBody(body)
    const again = verdict.ok && id !== null && known.has(id)
    if (verdict.ok && id !== null) known.add(id)
    print(io, await shown(io, form, { reason: verdict.ok ? null : WHY[verdict.reason], again, id, body: value }))
    if (!verdict.ok) ending = exitCode('failed')
    left -= 1
    // The last one is answered before the receiver ends.
    response.once('close', () => left <= 0 && ended.resolve(ending))
    response.writeHead(verdict.ok ? 204 : 400, { connection: 'close' }).end()
  }
  const server = createServer((request, response) => {
    // A sender may close its connection in the middle of a request. That does not concern the others.
    receive(request, response).catch(() => response.destroy())
  })
  server.once('error', (error: NodeJS.ErrnoException) =>
    ended.reject(new RemoteError(`port ${options.port} cannot be opened (${error.code}): choose another by --port`)),
  )
  server.listen(options.port, '127.0.0.1', () => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const said = `Waiting for webhooks at ${url}. Ctrl-C ends this.\n`
    if (form === 'table' || form === 'wide') print(io, said)
    else tell(io, said)
    if (options.test === true) sendTest(url, secrets[0] ?? '').catch(ended.reject)
  })
  try {
    return await ended.promise
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

async function secretsOf(io: ProcessIo, words: readonly string[], options: CommonOptions): Promise<readonly string[]> {
  const { references } = referencesOf(words)
  const given = io.env['TIDEMARK_WEBHOOK_SECRET'] ?? ''
  const secretsGiven = given
    .split(',')
    .map((secret) => secret.trim())
    .filter((secret) => secret !== '')
  // What is signed with an empty secret anybody can sign.
  if (references.length === 0 && secretsGiven.length === 0)
    throw new RemoteError('name the monitor whose webhooks are checked, or set TIDEMARK_WEBHOOK_SECRET', 'usage')
  if (references.length === 0) return secretsGiven
  const client = connect(io, options)
  const secrets: string[] = []
  for (const reference of references) {
    const found = await findRecord(client, reference)
    const path = `${pathOf(found)}/signing-secret`
    const { secret } = await client.json<{ readonly secret: string | null }>({ method: 'GET', path })
    if (secret === null)
      throw new RemoteError(`${printable(found.record.name)} has no webhook, so it has no secret: add one first`)
    secrets.push(secret)
  }
  return secrets
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | null> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length
    if (size > MAX_BODY) return null
    parts.push(part)
  }
  return Buffer.concat(parts)
}

interface Received {
  /** Why it was not verified; null where it was. */
  readonly reason: string | null
  readonly again: boolean
  readonly id: string | null
  readonly body: unknown
}

async function shown(
  io: ProcessIo,
  form: ReturnType<typeof formOf>,
  { reason, again, id, body }: Received,
): Promise<string> {
  const verified = reason === null
  if (isForPrograms(form)) return partText(form, { verified, reason, again, body })
  if (form === 'name') return `${printable(id ?? '-')}\n`
  const text = verified ? `verified${again ? AGAIN : ''}` : `not verified: ${reason}`
  return `${coloured(io, { text, colour: verified ? 'good' : 'bad' })}\n${inLines(body)}\n`
}

/** Returns the JSON of a body, or its text, and the id of the delivery: an attempt that is repeated has the same. */
function readBody(body: Buffer): { readonly value: unknown; readonly id: string | null } {
  const text = body.toString('utf8')
  try {
    const value = JSON.parse(text) as unknown
    const { id = null } = (value ?? {}) as { readonly id?: unknown }
    return { value, id: typeof id === 'string' ? id : null }
  } catch {
    return { value: text.slice(0, MAX_TEXT), id: null }
  }
}

const inLines = (value: unknown): string =>
  typeof value === 'string' ? printable(value) : printable(JSON.stringify(value, null, 2), '\n')

/** Sends a message to the receiver itself, signed as a delivery is. */
async function sendTest(url: string, secret: string): Promise<void> {
  const body = JSON.stringify({ test: true })
  // The receiver of this very process.
  // oxlint-disable-next-line no-restricted-globals
  const answer = await fetch(url, {
    method: 'POST',
    body,
    headers: { 'service-signature': sign([secret], Math.floor(Date.now() / 1_000), body) },
  })
  await answer.text()
}
