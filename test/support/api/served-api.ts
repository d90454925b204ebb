import type { Route } from '../../../api/http/route.ts'
import type { ServicesOptions } from '../../../api/services.ts'
import type { Tier } from '../../../schema/account/plan.ts'
import type { CreatedOwner } from '../../../store/accounts/accounts.ts'
import { createTestApi, type TestApi, type TestError } from './test-api.ts'

/** A served API: a real socket before a real store, and an account on it. */
export interface ServedApi {
  readonly api: TestApi
  readonly baseUrl: string
  readonly owner: CreatedOwner
  /** As the owner's first key, or as someone else. */
  readonly me: Client
  as(credential: string | null): Client
  /** A further account with a team of its own. */
  anotherTeam(plan?: Tier): Promise<Client & { readonly owner: CreatedOwner }>
  close(): Promise<void>
}

/** A body of an answer: the keys that tests read, whichever of them it has. */
export interface Body {
  readonly id: string
  readonly status: string
  readonly created_at: string
  readonly next_run_at: string
  readonly next_attempt_at: string
  readonly completed_at: string
  readonly run_id: string
  readonly secret: string
  readonly key: string
  readonly data: readonly Readonly<Record<string, string>>[]
  readonly pagination: object
  readonly retention: { readonly cutoff_at: string }
  readonly paths: object
  readonly error: TestError
  readonly [key: string]: unknown
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Body
}

/** What a client of the API can do. Bodies are sent as JSON; a string is sent as it is. */
export interface Client {
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown): Promise<Answer>
  patch(path: string, body?: unknown): Promise<Answer>
  delete(path: string): Promise<Answer>
}

/** Starts an API on a port of its own. `close` it in `afterAll`. */
export async function serveApi(
  plan: Tier = 'scale',
  overrides: Partial<ServicesOptions> = {},
  table?: readonly Route[],
): Promise<ServedApi> {
  const api = await createTestApi(overrides, table)
  const baseUrl = await api.listen()
  const owner = await api.owner({ plan })
  const as = (credential: string | null): Client => ({
    get: (path) => send(baseUrl, credential, { method: 'GET', path }),
    post: (path, body) => send(baseUrl, credential, { method: 'POST', path, body }),
    patch: (path, body) => send(baseUrl, credential, { method: 'PATCH', path, body }),
    delete: (path) => send(baseUrl, credential, { method: 'DELETE', path }),
  })
  return {
    api,
    baseUrl,
    owner,
    as,
    me: as(owner.api_key),
    anotherTeam: async (theirs = 'scale') => {
      const account = await api.owner({ plan: theirs })
      return { ...as(account.api_key), owner: account }
    },
    close: () => api.close(),
  }
}

interface Sent {
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

async function send(baseUrl: string, credential: string | null, { method, path, body }: Sent): Promise<Answer> {
  const answer = await fetch(baseUrl + path, {
    method,
    headers: {
      ...(credential !== null && { authorization: `Bearer ${credential}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const isEvents = answer.headers.get('content-type')?.startsWith('text/event-stream') === true
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, body: isEvents ? null : JSON.parse(text || 'null') }
}
