import { setTimeout as pause } from 'node:timers/promises'

/** Where an installation is, and a key of its with the scope to write. */
export interface Connection {
  /** The name of its settings: `tidemark` of `tidemark:apiKey`. */
  readonly name: string
  readonly baseUrl: string
  readonly apiKey: string
}

export interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: object
  /** Makes a POST safe to repeat. */
  readonly idempotencyKey?: string
}

const TIMEOUT_MS = 30_000
const TRIES = 5
const LONGEST_PAUSE_S = 30

/**
 * Sends a request, and again when the network or the API was busy for a moment. Throws what the API refuses, in its
 * words; an answer of `accepted` is returned.
 */
export async function call(connection: Connection, request: Call, accepted: readonly number[] = []): Promise<Answer> {
  for (let nth = 1; ; nth += 1) {
    const answer = await send(connection, request).catch((error: unknown) => {
      if (nth >= TRIES) throw unreachable(connection, error)
      return null
    })
    if (answer === null) {
      await pause(nth * 200)
    } else if (isForAMoment(answer) && nth < TRIES) {
      await pause(Math.min(answer.retryAfter ?? nth, LONGEST_PAUSE_S) * 1000)
    } else {
      if (answer.status < 300 || accepted.includes(answer.status)) return answer
      throw refusal(connection, request, answer)
    }
  }
}

/** A conflict that passes is that of a creation with the same key, which is still under way. */
const isForAMoment = ({ status, retryAfter }: { readonly status: number; readonly retryAfter: number | null }) =>
  status === 429 || status === 503 || (status === 409 && retryAfter !== null)

async function send(
  { baseUrl, apiKey }: Connection,
  { method, path, body, idempotencyKey }: Call,
): Promise<Answer & { readonly retryAfter: number | null }> {
  // The address is a setting of the person who deploys, on that person's machine.
  // oxlint-disable-next-line eslint/no-restricted-globals
  const answer = await fetch(new URL(path, withSlash(baseUrl)), {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      'user-agent': 'tidemark-pulumi',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const text = await answer.text()
  const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN)
  return { status: answer.status, body: parsed(text), retryAfter: Number.isFinite(seconds) ? seconds : null }
}

const withSlash = (address: string) => (address.endsWith('/') ? address : `${address}/`)

function parsed(text: string): Answer['body'] {
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object' ? (value as Answer['body']) : {}
  } catch {
    return {}
  }
}

const unreachable = ({ name, baseUrl }: Connection, error: unknown) => {
  const { message, cause } = error as { message: string; cause?: { message?: string } }
  return new Error(`${baseUrl} does not answer: ${cause?.message ?? message}. Is the setting ${name}:baseUrl right?`)
}

/** Returns an error that says what the API said, and what to do about it. */
function refusal({ name, baseUrl }: Connection, { method, path }: Call, { status, body }: Answer): Error {
  const error = body['error'] as
    | { code?: string; message?: string; details?: readonly { path?: string; message?: string }[] }
    | undefined
  const advice =
    status === 401 || status === 403
      ? ` Set a key with the scope write: pulumi config set --secret ${name}:apiKey svc_…`
      : ''
  if (!error?.message) return new Error(`${baseUrl} answered ${status} to ${method} /${path}.${advice}`)
  const faults = (error.details ?? []).map((each) => `\n  ${each.path ? `${each.path}: ` : ''}${each.message}`)
  return new Error(`${error.code}: ${error.message}${advice}${faults.join('')}`)
}
