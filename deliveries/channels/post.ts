import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { DELIVERY_TIMEOUT_MS } from '../../schema/run/delivery.ts'
import type { BodyRule, Exchange } from '../../egress/exchange.ts'
import { guardedRequest } from '../../egress/guarded-request.ts'
import { parseTargetUrl } from '../../egress/target-url.ts'
import type { AttemptOutcome, SendContext } from './channel.ts'
import { noAnswer } from './no-answer.ts'
import { safeText } from './safe-text.ts'

/** What a channel that posts is made from. */
export interface PostOptions {
  /** A guarded agent: it dials vetted addresses only and follows nothing. */
  readonly agent: Dispatcher
  /** Milliseconds for a whole attempt. Default 15,000. */
  readonly deadlineMs?: number
}

/** One POST of one delivery. */
interface Post {
  readonly id: string
  readonly url: string
  /** undici's flat list. */
  readonly headers: string[]
  readonly body: Buffer
  /** What of the answer is not shown (`sentSecrets`). */
  readonly secrets: () => readonly string[]
}

/**
 * An answer counts as soon as its headers are there; of its body, what helps a person is enough, be it endless, cut off
 * or huge.
 */
const GLANCE: BodyRule = { maxBytes: 64 * 1024, partial: true }
const glance = () => GLANCE

/**
 * One POST through the guard. Redirects are not followed, and a destination that the guard refuses has not answered:
 * names can lead elsewhere tomorrow, so it is tried again by the schedule.
 */
export async function post(
  { agent, deadlineMs = DELIVERY_TIMEOUT_MS }: PostOptions,
  { id, url, headers, body, secrets }: Post,
  { signal, log }: SendContext,
): Promise<AttemptOutcome> {
  const target = parseTargetUrl(url)
  if (!target.ok) return { kind: 'impossible', message: target.message }
  const exchange = await guardedRequest(agent, {
    url: target.url,
    method: 'POST',
    headers,
    body,
    deadlineMs,
    signal,
    bodyRule: glance,
  })
  if (!exchange.ok && exchange.failure.kind === 'internal')
    log.error(
      { err: exchange.failure.error, delivery_id: id },
      'an attempt of a delivery failed through a fault of ours',
    )
  return outcomeOf(exchange, target.url.host, secrets)
}

function outcomeOf(exchange: Exchange, host: string, secrets: Post['secrets']): AttemptOutcome {
  if (exchange.ok) return { kind: 'answered', status: exchange.status, body: bodyOf(exchange, secrets) }
  if (exchange.failure.kind === 'aborted') return { kind: 'aborted' }
  return { kind: 'no_answer', message: noAnswer(exchange.failure, host) }
}

function bodyOf(
  { status, headers, chunks, wireBytes }: Exchange & { readonly ok: true },
  secrets: Post['secrets'],
): string | null {
  if (wireBytes === 0) return status >= 300 && status < 400 ? NOT_FOLLOWED : null
  return isEncoded(headers) ? ENCODED : safeText(chunks, secrets())
}

const NOT_FOLLOWED = 'A redirect is not followed. Set the address at which the destination answers itself.'
/**
 * Nobody asked for an encoding. Undoing it would unpack what a stranger packed, for a text that is rarely looked at.
 */
const ENCODED = 'The answer has a content encoding that was not asked for; it is not shown.'

function isEncoded(headers: IncomingHttpHeaders): boolean {
  const encoding = headers['content-encoding']
  return encoding !== undefined && encoding.trim().toLowerCase() !== 'identity'
}
