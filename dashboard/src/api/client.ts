import { noteAnswer } from './away.ts'

/** An answer that is none: what was refused, or what could not be asked. */
export class ApiFault extends Error {
  override readonly name = 'ApiFault'
  /** The status of HTTP; 0: there was no answer. */
  readonly status: number
  readonly requestId: string | null
  /** After how many milliseconds the server asks to come back. Null: it does not say. */
  readonly retryMs: number | null
  /** Something was to be done, and not only read. */
  readonly isOfAction: boolean
  /** What is wrong with what was sent, by the paths in it. */
  readonly issues: readonly Issue[]

  constructor(message: string, status: number, details: FaultDetails = {}) {
    const { requestId = null, retryMs = null, isOfAction = false, issues = [] } = details
    super(message)
    this.status = status
    this.requestId = requestId
    this.retryMs = retryMs
    this.isOfAction = isOfAction
    this.issues = issues
  }
}

/** What is wrong with a part of what was sent. */
export interface Issue {
  /** As `deliveries[0].url`. Empty: all of it. */
  readonly path: string
  readonly message: string
}

interface FaultDetails {
  readonly requestId?: string | null
  readonly retryMs?: number | null
  readonly isOfAction?: boolean
  readonly issues?: readonly Issue[]
}

interface Asked {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly body?: object
  readonly signal?: AbortSignal
  /** Whichever team the session acts for. */
  readonly anyTeam?: boolean
  /** The tag of what is to be changed, as it was read. It is refused where somebody changed it since. */
  readonly ifMatch?: string
}

interface Envelope {
  readonly error?: { readonly message?: string; readonly requestId?: string; readonly details?: readonly Issue[] }
}

/** What the page knows of its session: the team that it shows, and how far its clock is from the server's. */
const session = { team: '', clockMs: 0, onRefused: (_status: number) => {} }

/** Each request names the team of which the page shows something: a switch in another tab must not mix two. */
export function showTeam(id: string): void {
  session.team = id
}

/** Calls the function with the status of what says that the session has ended (401) or acts for another team (409). */
export function whenRefused(onRefused: (status: number) => void): void {
  session.onRefused = onRefused
}

const teamHeaders = (): Record<string, string> => (session.team === '' ? {} : { 'tidemark-team': session.team })

/** Returns the time of the server, in milliseconds: the clock of a computer may be wrong by hours. */
export const serverNow = (): number => Date.now() + session.clockMs

/** Asks the API. Throws an `ApiFault`. */
export const ask = async <T>(path: string, asked: Asked = {}): Promise<T> => (await askTagged<T>(path, asked)).body

/** What was read, with the tag by which a change of it names it. */
export interface Tagged<T> {
  readonly body: T
  readonly tag: string
}

/** Asks the API, and returns the tag of the answer too. Throws an `ApiFault`. */
export async function askTagged<T>(path: string, asked: Asked = {}): Promise<Tagged<T>> {
  const { method = 'GET', body: sent, signal, anyTeam, ifMatch } = asked
  const headers = { accept: 'application/json', ...(anyTeam !== true && teamHeaders()) } as Record<string, string>
  if (sent) headers['content-type'] = 'application/json'
  if (ifMatch !== undefined) headers['if-match'] = ifMatch
  const init = { method, headers, ...(sent && { body: JSON.stringify(sent) }), ...(signal && { signal }) }
  const answer = await answered(path, init, method !== 'GET')
  noteClock(answer.headers.get('date'))
  const body = (await answer.json().catch(() => ({}))) as T & Envelope
  if (answer.ok) return { body, tag: answer.headers.get('etag') ?? '' }
  if (anyTeam !== true) noteRefusal(answer.status, method)
  throw faultOf(answer, body, method !== 'GET')
}

/** Returns the answer to a request. Throws an `ApiFault` where there is none. */
async function answered(path: string, init: RequestInit, isOfAction = false): Promise<Response> {
  try {
    const answer = await fetch(path, init)
    noteAnswer(true)
    return answer
  } catch (error) {
    if (init.signal?.aborted === true) throw error
    noteAnswer(false)
    throw new ApiFault('The server does not answer.', 0, { isOfAction })
  }
}

/** Of what only reads, a conflict can only be that of teams. */
function noteRefusal(status: number, method: string): void {
  if (status === 401 || (status === 409 && method === 'GET')) session.onRefused(status)
}

function faultOf({ status, headers }: Response, { error }: Envelope, isOfAction = false): ApiFault {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return new ApiFault(error?.message ?? `The server answered ${status}.`, status, {
    requestId: error?.requestId ?? null,
    retryMs: Number.isFinite(seconds) ? seconds * 1_000 : null,
    isOfAction,
    // Details of other refusals are of another shape.
    issues: status === 422 ? (error?.details ?? []) : [],
  })
}

/** Asks the API for another text than JSON. Throws an `ApiFault`. */
export async function askText(path: string, accept: string, signal: AbortSignal): Promise<string> {
  const headers = { accept, ...(session.team !== '' && { 'tidemark-team': session.team }) }
  const answer = await answered(path, { headers, signal })
  if (answer.ok) return answer.text()
  noteRefusal(answer.status, 'GET')
  throw faultOf(answer, (await answer.json().catch(() => ({}))) as Envelope)
}

/** Opens a stream of events behind the one with this id. Throws an `ApiFault`. */
export async function openStream(path: string, lastId: string, signal: AbortSignal): Promise<ReadableStream> {
  const behind = lastId === '' ? {} : { 'last-event-id': lastId }
  const answer = await answered(path, { headers: { accept: 'text/event-stream', ...teamHeaders(), ...behind }, signal })
  if (!answer.ok || answer.body === null) throw new ApiFault('There is no stream.', answer.status)
  return answer.body
}

function noteClock(date: string | null): void {
  const away = Date.parse(date ?? '') - Date.now()
  // The header has whole seconds, and the way takes its time.
  if (Number.isFinite(away)) session.clockMs = Math.abs(away) < 5_000 ? 0 : away
}
