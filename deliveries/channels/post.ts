import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { retryAfterMs } from '../../core/retry-after.ts'
import type { BodyRule, Exchange } from '../../egress/exchange.ts'
import { guardedRequest } from '../../egress/guarded-request.ts'
import { parseTargetUrl } from '../../egress/target-url.ts'
import { DELIVERY_TIMEOUT_MS } from '../../schema/run/delivery.ts'
import type { ServiceAnswer } from '../services/service.ts'
import type { AttemptOutcome, SendContext } from './channel.ts'
import { noAnswer } from './no-answer.ts'
import { safeText } from './safe-text.ts'

/** The parts that a channel that posts uses. */
export interface PostOptions {
  /** A guarded agent: it connects to checked addresses only and does not follow redirects. */
  readonly agent: Dispatcher
  /** Milliseconds for a whole attempt. Default 15,000. */
  readonly deadlineMs?: number
}

/** One request of one delivery. */
interface Post {
  readonly id: string
  readonly team: string
  readonly url: string
  /** Default POST. */
  readonly method?: 'POST' | 'PUT'
  /** undici's flat list. */
  readonly headers: string[]
  readonly body: Buffer
  /** A 429 is waited out where its Retry-After leaves time for another try within the attempt. */
  readonly waits?: boolean
  /** What the beginning of an answer's body says beside its status. Absent: nothing. */
  readonly read?: ReadAnswer | undefined
  /** Returns the texts that must not be shown when the answer repeats them (`sentSecrets`). */
  readonly secrets: () => readonly string[]
}

type ReadAnswer = (status: number, body: string) => ServiceAnswer
const NOTHING: ReadAnswer = () => ({})

/**
 * An answer counts as soon as its headers have arrived. Of its body, a short beginning is enough to help a person. The
 * body may be endless, cut off or huge.
 */
const BODY_EXCERPT: BodyRule = { maxBytes: 64 * 1024, partial: true }
const bodyExcerpt = () => BODY_EXCERPT

/**
 * Makes one request through the egress guard. Redirects are not followed. A destination that the guard refuses counts
 * as one that did not answer: its name can resolve to another address tomorrow, so the schedule tries it again.
 */
export async function post(
  { agent, deadlineMs = DELIVERY_TIMEOUT_MS }: PostOptions,
  { id, team, url, method = 'POST', headers, body, waits = false, read = NOTHING, secrets }: Post,
  { signal, log, rest, hold }: SendContext,
): Promise<AttemptOutcome> {
  const target = parseTargetUrl(url)
  if (!target.ok) return { kind: 'impossible', message: target.message }
  const until = performance.now() + deadlineMs
  const request = { url: target.url, method, headers, body, team, signal, bodyRule: bodyExcerpt } as const
  const send = () => guardedRequest(agent, { ...request, deadlineMs: Math.max(1, until - performance.now()) })
  let exchange = await send()
  for (let tries = 1; waits; tries += 1) {
    const ms = waitOf(exchange, read)
    if (ms === null) break
    // This message is refused for good. Those behind it are not sent before the destination takes them.
    if (!rest || tries === MAX_TRIES || performance.now() + ms >= until - LEAST_MS) {
      hold?.(ms)
      break
    }
    const hasSlot = await rest(ms, until - LEAST_MS)
    if (signal.aborted) return { kind: 'aborted' }
    if (!hasSlot) return { kind: 'no_answer', message: NO_SLOT }
    exchange = await send()
  }
  logInternal(exchange, id, log)
  return outcomeOf(exchange, target.url.host, { secrets, read })
}

function logInternal(exchange: Exchange, id: string, log: SendContext['log']): void {
  if (!exchange.ok && exchange.failure.kind === 'internal')
    log.error({ err: exchange.failure.error, delivery_id: id }, 'a delivery attempt failed: internal error')
}

/** Another try needs at least this long. */
const LEAST_MS = 1_000
const SHORTEST_WAIT_MS = 250
/** Requests in one attempt: a chat that asks to wait again and again has its answer taken as final. */
const MAX_TRIES = 3
const NO_SLOT = 'The destination asked to wait, and after that no slot was free to send again within the attempt.'

/** Returns the milliseconds after which the destination takes the message; null: it did not say so. */
function waitOf(exchange: Exchange, read: ReadAnswer): number | null {
  if (!exchange.ok) return null
  const { waitMs } = answerOf(exchange, read)
  if (exchange.status !== 429 && waitMs === undefined) return null
  const ms = retryAfterMs(exchange.headers['retry-after'], Date.now()) ?? waitMs ?? null
  return ms === null ? null : Math.max(SHORTEST_WAIT_MS, ms)
}

const answerOf = ({ status, headers, chunks }: Answered, read: ReadAnswer): ServiceAnswer =>
  read === NOTHING || isEncoded(headers) ? {} : read(status, Buffer.concat(chunks).toString('utf8'))

type Answered = Exchange & { readonly ok: true }
type Reading = Pick<Post, 'secrets'> & { readonly read: ReadAnswer }

function outcomeOf(exchange: Exchange, host: string, { secrets, read }: Reading): AttemptOutcome {
  if (exchange.ok) {
    const { verdict } = answerOf(exchange, read)
    const shown = { status: exchange.status, body: bodyOf(exchange, secrets) }
    return { kind: 'answered', ...shown, ...(verdict !== undefined && { verdict }) }
  }
  if (exchange.failure.kind === 'aborted') return { kind: 'aborted' }
  return { kind: 'no_answer', message: noAnswer(exchange.failure, host) }
}

function bodyOf({ status, headers, chunks, wireBytes }: Answered, secrets: Post['secrets']): string | null {
  if (wireBytes === 0) return status >= 300 && status < 400 ? NOT_FOLLOWED : null
  return isEncoded(headers) ? ENCODED : safeText(chunks, secrets())
}

const NOT_FOLLOWED = 'Redirects are not followed. Set the final address of the destination.'
/** The request does not ask for an encoding. Decoding would unpack untrusted data for a text that is rarely read. */
const ENCODED = 'The answer has a content encoding that was not requested; it is not shown.'

function isEncoded(headers: IncomingHttpHeaders): boolean {
  const encoding = headers['content-encoding']
  return encoding !== undefined && encoding.trim().toLowerCase() !== 'identity'
}
