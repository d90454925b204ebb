/** An answer that is none: what was refused, or what could not be asked. */
export class ApiFault extends Error {
  override readonly name = 'ApiFault'
  /** The status of HTTP; 0: there was no answer. */
  readonly status: number
  readonly requestId: string | null

  constructor(message: string, status: number, requestId: string | null = null) {
    super(message)
    this.status = status
    this.requestId = requestId
  }
}

interface Asked {
  readonly method?: 'GET' | 'POST'
  readonly body?: object
  readonly signal?: AbortSignal
}

interface Envelope {
  readonly error?: { readonly message?: string; readonly requestId?: string }
}

/** What the page knows of its session: the team that it shows, and how far its clock is from the server's. */
const session = { team: '', clockMs: 0 }

/** Each request names the team of which the page shows something: a switch in another tab must not mix two. */
export function showTeam(id: string): void {
  session.team = id
}

/** Returns the time of the server, in milliseconds: the clock of a computer may be wrong by hours. */
export const serverNow = (): number => Date.now() + session.clockMs

/** Asks the API. Throws an `ApiFault`. */
export async function ask<T>(path: string, { method = 'GET', body: sent, signal }: Asked = {}): Promise<T> {
  const headers: Record<string, string> = { accept: 'application/json' }
  if (session.team !== '') headers['tidemark-team'] = session.team
  if (sent) headers['content-type'] = 'application/json'
  const init = { method, headers, ...(sent && { body: JSON.stringify(sent) }), ...(signal && { signal }) }
  const answer = await fetch(path, init).catch((error: unknown) => {
    if (signal?.aborted === true) throw error
    throw new ApiFault('The server does not answer.', 0)
  })
  noteClock(answer.headers.get('date'))
  const body = (await answer.json().catch(() => ({}))) as T & Envelope
  if (answer.ok) return body
  const { message, requestId } = body.error ?? {}
  throw new ApiFault(message ?? `The server answered ${answer.status}.`, answer.status, requestId ?? null)
}

/** Asks the API for another text than JSON. Throws an `ApiFault`. */
export async function askText(path: string, accept: string, signal: AbortSignal): Promise<string> {
  const headers = { accept, ...(session.team !== '' && { 'tidemark-team': session.team }) }
  const answer = await fetch(path, { headers, signal }).catch((error: unknown) => {
    if (signal.aborted) throw error
    throw new ApiFault('The server does not answer.', 0)
  })
  if (answer.ok) return answer.text()
  const { error } = (await answer.json().catch(() => ({}))) as Envelope
  throw new ApiFault(error?.message ?? `The server answered ${answer.status}.`, answer.status, error?.requestId ?? null)
}

function noteClock(date: string | null): void {
  const away = Date.parse(date ?? '') - Date.now()
  // The header has whole seconds, and the way takes its time.
  if (Number.isFinite(away)) session.clockMs = Math.abs(away) < 5_000 ? 0 : away
}
