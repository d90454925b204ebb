import { sleep } from '../../concurrency/loops/sleep.ts'
import { printable } from '../../core/printable.ts'
import manifest from '../../package.json' with { type: 'json' }
import type { Pagination } from '../../schema/page-of.ts'
import type { Connection } from './profiles.ts'
import { inWords, olderServer, parsed, refusalOf } from './refusal-words.ts'
import { RemoteError } from './remote-error.ts'
import type { RemoteAnswer, RemoteRequest } from './remote-request.ts'
import {
  ANSWER_MS,
  hasNotArrived,
  isBusy,
  isFinal,
  isLimitOfPlan,
  LONGEST_PAUSE_MS,
  NOT_BEGUN,
  PAUSES_MS,
  reasonOf,
} from './when-to-repeat.ts'

/** A page of a list. */
interface Page<T> {
  readonly data: readonly T[]
  readonly pagination: Pagination
}

const PAGE = 100

/**
 * A client of the REST API. A request is repeated when the server does not answer or has no time: those that create
 * carry an `Idempotency-Key`, and `isOnce` keeps others from it. With an empty key, as for a sign-in, requests carry
 * none. Throws a RemoteError that explains each failure.
 */
export class RemoteClient {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  get url(): string {
    return this.#connection.url
  }

  /** Returns the answer's JSON. Throws where it is none, or not what `isIt` knows. */
  async json<T>(request: RemoteRequest, isIt: (body: unknown) => boolean = () => true): Promise<T> {
    const { text } = await this.#done(request)
    const body = parsed(text)
    if (body === undefined || !isIt(body)) throw this.#isNotApi(request, text)
    return body as T
  }

  /** Returns the answer's JSON; null where there is no such record. */
  async find<T>(request: RemoteRequest): Promise<T | null> {
    try {
      return await this.json<T>(request)
    } catch (error) {
      if (error instanceof RemoteError && error.status === 404) return null
      throw error
    }
  }

  /** Returns the answer's text. */
  async text(request: RemoteRequest): Promise<string> {
    return (await this.#done(request)).text
  }

  /** Returns the first items of a list, page by page; all of them without `most`. */
  async *list<T>(path: string, query: RemoteRequest['query'] = {}, most = Number.POSITIVE_INFINITY): AsyncGenerator<T> {
    const limit = Math.min(PAGE, most)
    let left = most
    for (let page = 1; ; page++) {
      const { data, pagination } = await this.json<Page<T>>(
        { method: 'GET', path, query: { ...query, page, limit } },
        isPage,
      )
      yield* data.slice(0, left)
      left -= data.length
      if (!pagination.hasMore || left <= 0) return
    }
  }

  async #done(request: RemoteRequest): Promise<RemoteAnswer> {
    const answer = await this.#send(request)
    if (answer.status >= 200 && answer.status < 300) return answer
    // An earlier attempt has deleted it, and its answer was lost.
    if (answer.status === 404 && request.method === 'DELETE' && answer.isRepeated) return answer
    throw this.#refused(request, answer)
  }

  async #send(request: RemoteRequest): Promise<RemoteAnswer> {
    for (let attempt = 0; ; attempt++) {
      const pauseMs = PAUSES_MS[attempt]
      let answer: Omit<RemoteAnswer, 'isRepeated'>
      try {
        answer = await this.#once(request)
      } catch (error) {
        if (request.isOnce && !hasNotArrived(error)) throw this.#mayHaveArrived(error)
        if (pauseMs === undefined || isFinal(error)) throw this.#away(error)
        await sleep(pauseMs)
        continue
      }
      const askedMs = Number(answer.headers.get('retry-after') ?? 0) * 1_000
      const waitMs = Math.max(pauseMs ?? 0, Number.isFinite(askedMs) ? askedMs : 0)
      const isLast = !(request.isOnce ? NOT_BEGUN.has(answer.status) : isBusy(answer)) || isLimitOfPlan(answer)
      if (isLast || pauseMs === undefined || waitMs > LONGEST_PAUSE_MS) return { ...answer, isRepeated: attempt > 0 }
      await sleep(waitMs)
    }
  }

  async #once({ method, path, query = {}, body, headers }: RemoteRequest) {
    const url = new URL(this.#connection.url + path)
    for (const [key, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(key, String(value))
    // The server of the person who runs this, and no target of a check. A redirect could lead elsewhere with the key.
    // oxlint-disable-next-line no-restricted-globals
    const answer = await fetch(url, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_MS),
      headers: {
        ...(this.#connection.key !== '' && { authorization: `Bearer ${this.#connection.key}` }),
        accept: 'application/json',
        'user-agent': `tidemark-cli/${manifest.version}`,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }

  #away(error: unknown): RemoteError {
    const { url } = this.#connection
    const reason = reasonOf(error)
    return new RemoteError(`${url} does not answer (${reason}): ${this.#advice(reason)}`, 'unavailable')
  }

  #advice(reason: string): string {
    // The answer of a server without TLS is not TLS of any version.
    if (/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG/.test(reason))
      return `it speaks no TLS on this port, so use http:// in the address of ${this.#connection.from}`
    if (/CERT|SSL|TLS/i.test(reason)) return 'set NODE_EXTRA_CA_CERTS to the file with its certificate authority'
    // A server with TLS closes the connection, or its answer is not HTTP.
    if (/^UND_ERR_SOCKET|^HPE_/.test(reason) && this.#connection.url.startsWith('http:'))
      return (
        'the connection was closed, as by a server that stops; where it speaks TLS on this port, use https:// in ' +
        `the address of ${this.#connection.from}`
      )
    return `is it running, and is the address of ${this.#connection.from} right?`
  }

  #ofWhom(): string {
    const { from, email, key } = this.#connection
    return key === '' ? '' : ` (the ${email === undefined ? 'key' : 'session'} of ${from})`
  }

  /** Returns what was refused as wrong, and how to get another. */
  #credential(): string {
    const { url, from, email, key } = this.#connection
    if (key === '')
      return (
        `the address or the password; "./tidemark admin link --email ${printable(email ?? '')}" on the server prints ` +
        'a link for a new password'
      )
    if (email !== undefined)
      return `the session of ${from}: it has ended; call ./tidemark login ${url} --email ${printable(email)}`
    return (
      `the key of ${from}: it is wrong, expired or revoked; make another with "./tidemark admin create-key" on the ` +
      'server, and call ./tidemark login'
    )
  }

  #mayHaveArrived(error: unknown): RemoteError {
    const { url } = this.#connection
    const advice = 'it may have done this all the same, so look before you ask again'
    return new RemoteError(`${url} does not answer (${reasonOf(error)}): ${advice}`, 'unavailable')
  }

  #isNotApi({ method, path }: RemoteRequest, text: string): RemoteError {
    const begin = printable(text.trim().slice(0, 60))
    return new RemoteError(
      `${this.#connection.url} is not the address of a Tidemark API: ${method} ${path} was answered with ` +
        (begin === '' ? 'nothing' : `"${begin}…"`),
    )
  }

  #refused(request: RemoteRequest, answer: RemoteAnswer): RemoteError {
    const { status, headers, text } = answer
    const location = headers.get('location')
    if (status >= 300 && status < 400)
      return new RemoteError(
        `${this.#connection.url} redirects to ${printable(location ?? 'nowhere')}: use the address of the API itself`,
      )
    const refusal = refusalOf(text)
    if (refusal === null && status < 500) return this.#isNotApi(request, text)
    const { said, requestId, issues } = inWords(refusal, status)
    if (status === 401)
      return new RemoteError(`${this.#connection.url} refuses ${this.#credential()}`, 'refused', status)
    if (status === 403) return new RemoteError(`${said}${this.#ofWhom()}`, 'refused', status)
    if (isBusy(answer) && !isLimitOfPlan(answer)) return new RemoteError(said, 'unavailable', status)
    if (status >= 500)
      return new RemoteError(`${said} The log of the server has the details under ${requestId}.`, 'failed', status)
    return new RemoteError(said, 'failed', status, { issues, advice: olderServer(request, answer) })
  }
}

function isPage(body: unknown): boolean {
  const { data, pagination } = (body ?? {}) as Partial<Page<unknown>>
  return Array.isArray(data) && typeof pagination === 'object'
}
