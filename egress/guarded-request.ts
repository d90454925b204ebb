import type { IncomingHttpHeaders } from 'node:http'
import { errors, type Dispatcher } from 'undici'
import { EgressError, errorCode } from './egress-failure.ts'
import type { BodyRule, Exchange, ExchangeFailure, ExchangePhase } from './exchange.ts'
import type { GuardedDispatch } from './guarded-agent.ts'

export interface GuardedRequest {
  /** Must have passed `parseTargetUrl`. */
  readonly url: URL
  readonly method: string
  /** Names and values in turn, as they are sent. undici sets `host`, `content-length` and `connection` itself. */
  readonly headers: string[]
  readonly body: string | Uint8Array | null
  /** An opaque key of the team that the request is for. Absent: it is for none. */
  readonly team?: string | undefined
  /** Milliseconds for the whole exchange, including the wait for a connection. */
  readonly deadlineMs: number
  readonly signal: AbortSignal | null
  /** Returns how much of the body to read for a status. Pass a constant function: it is called once per exchange. */
  readonly bodyRule: (status: number) => BodyRule
  /** Who gives room for a large body. Absent: it needs none. */
  readonly large?: LargeBodyRule | undefined
}

/** When a body is large, and where it gets room. */
interface LargeBodyRule {
  readonly bytes: number
  /** Returns null if there is room now, or else what resolves when there is. The deadline waits with the body. */
  readonly take: () => Promise<void> | null
}

/**
 * The most interim responses (1xx) that are accepted. Each restarts undici's timer for headers, so a flood of them
 * would never end.
 */
const MAX_INTERIM = 10

const ABORTED = new Error('the exchange is over')

/**
 * Runs one HTTP exchange through a guarded agent. It follows no redirects, decodes nothing and does not retry. One
 * deadline covers the whole exchange, so a slow body cannot extend it, and the body is limited in bytes. Never rejects.
 * It uses undici's dispatch API instead of `request`, which builds a stream per body. Reading chunks as the parser
 * delivers them makes a check cost less than a bare `request` loop (docs/egress.md has the figures).
 */
export function guardedRequest(agent: Dispatcher, request: GuardedRequest): Promise<Exchange> {
  return new Promise((resolve) => {
    const handler = new ExchangeHandler(request, resolve)
    if (handler.isOver) return
    try {
      agent.dispatch(dispatchOptions(request), handler)
    } catch (error) {
      handler.fail({ kind: 'internal', error })
    }
  })
}

function dispatchOptions({ url, method, headers, body, team }: GuardedRequest): GuardedDispatch {
  return { origin: url.origin, path: url.pathname + url.search, method, headers, body, team }
}

class ExchangeHandler implements Dispatcher.DispatchHandler, Abortable {
  readonly #request: GuardedRequest
  readonly #resolve: (exchange: Exchange) => void
  readonly #startedAt = performance.now()
  #timer: NodeJS.Timeout
  readonly #chunks: Uint8Array[] = []
  #controller: Dispatcher.DispatchController | null = null
  #phase: ExchangePhase = 'connect'
  #interim = 0
  #status = 0
  #headers: IncomingHttpHeaders = {}
  #rule: BodyRule = { maxBytes: 0, partial: false }
  #wireBytes = 0
  #hasRoom: boolean
  /** The others that end with the same signal. */
  #group: Set<Abortable> | null = null
  isOver = false

  constructor(request: GuardedRequest, resolve: (exchange: Exchange) => void) {
    this.#request = request
    this.#resolve = resolve
    this.#hasRoom = request.large === undefined
    // Node keeps timers of one duration in one list, so this costs 0.7 µs including its clearing. AbortSignal.timeout
    // costs 1.5 µs before any listener.
    this.#timer = setTimeout(expire, request.deadlineMs, this)
    if (request.signal !== null) this.#group = joinSignal(request.signal, this)
  }

  /** Called by the signal's group. */
  abort(): void {
    this.fail({ kind: 'aborted' })
  }

  expire(): void {
    this.#cut({ kind: 'timeout', phase: this.#phase, limit: 'total' })
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.isOver) controller.abort(ABORTED)
    else this.#phase = 'first_byte'
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (this.isOver) return
    if (status < 200) {
      if (++this.#interim > MAX_INTERIM) this.fail({ kind: 'bad_http' })
      return
    }
    this.#phase = 'body'
    this.#status = status
    this.#headers = headers
    this.#rule = this.#request.bodyRule(status)
    if (!this.#rule.partial && Number(headers['content-length']) > this.#rule.maxBytes) this.fail({ kind: 'too_large' })
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.isOver) return
    const room = this.#rule.maxBytes - this.#wireBytes
    const kept = chunk.length > room ? chunk.subarray(0, room) : chunk
    this.#chunks.push(kept)
    this.#wireBytes += kept.length
    if (chunk.length > room) this.#cut({ kind: 'too_large' })
    else if (!this.#hasRoom) this.#askForRoom()
  }

  #askForRoom(): void {
    const { large, deadlineMs } = this.#request
    if (!large || this.#wireBytes <= large.bytes) return
    this.#hasRoom = true
    const room = large.take()
    if (!room) return
    const leftMs = Math.max(1, this.#startedAt + deadlineMs - performance.now())
    clearTimeout(this.#timer)
    this.#controller?.pause()
    void room.then(() => {
      if (this.isOver) return
      this.#timer = setTimeout(expire, leftMs, this)
      this.#controller?.resume()
    })
  }

  onResponseEnd(): void {
    if (!this.isOver) this.#finish(true)
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (!this.isOver) this.#cut(this.#name(error))
  }

  fail(failure: ExchangeFailure): void {
    if (this.isOver) return
    this.#end()
    this.#resolve({ ok: false, failure, status: this.#status === 0 ? null : this.#status })
    this.#controller?.abort(ABORTED)
  }

  /** Ends the body early: a response where the rule allows a partial body, otherwise a failure. */
  #cut(failure: ExchangeFailure): void {
    if (this.#phase !== 'body' || !this.#rule.partial) {
      this.fail(failure)
      return
    }
    this.#finish(false)
    this.#controller?.abort(ABORTED)
  }

  #finish(complete: boolean): void {
    this.#end()
    this.#resolve({
      ok: true,
      status: this.#status,
      headers: this.#headers,
      chunks: this.#chunks,
      wireBytes: this.#wireBytes,
      complete,
    })
  }

  #end(): void {
    this.isOver = true
    clearTimeout(this.#timer)
    this.#group?.delete(this)
  }

  #name(error: Error): ExchangeFailure {
    if (error instanceof EgressError) return error.failure
    const code = errorCode(error)
    if (code === 'UND_ERR_HEADERS_TIMEOUT') return { kind: 'timeout', phase: 'first_byte', limit: 'idle' }
    if (code === 'UND_ERR_BODY_TIMEOUT') return { kind: 'timeout', phase: 'body', limit: 'idle' }
    if (code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'HPE_HEADER_OVERFLOW') return { kind: 'headers_too_large' }
    if (error instanceof errors.HTTPParserError) return { kind: 'bad_http' }
    return CLOSED_CODES.has(code) ? { kind: 'closed', phase: this.#phase } : { kind: 'internal', error }
  }
}

const CLOSED_CODES: ReadonlySet<string> = new Set([
  'UND_ERR_SOCKET',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'UND_ERR_INFO',
  'UND_ERR_DESTROYED',
  'UND_ERR_CLOSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
])

function expire(handler: ExchangeHandler): void {
  handler.expire()
}

/** An operation that ends when its signal aborts. */
interface Abortable {
  abort(): void
}

const groups = new WeakMap<AbortSignal, Set<Abortable>>()

/**
 * Ties many short-lived operations to one long-lived signal with a single listener. Adding and removing a listener per
 * request costs several times what a Set does, and Node warns of a leak at the eleventh listener.
 */
function joinSignal(signal: AbortSignal, member: Abortable): Set<Abortable> | null {
  if (signal.aborted) {
    member.abort()
    return null
  }
  return groupOf(signal).add(member)
}

function groupOf(signal: AbortSignal): Set<Abortable> {
  const known = groups.get(signal)
  if (known !== undefined) return known
  const group = new Set<Abortable>()
  groups.set(signal, group)
  signal.addEventListener('abort', () => group.forEach((member) => member.abort()), { once: true })
  return group
}
