import type { TSchema } from 'typebox'
import { createOutage, type Outage } from '../../concurrency/loops/outage.ts'
import type { Logger } from '../../core/logger.ts'
import { WORK_LEVEL } from '../../schema/level.ts'
import {
  RELAY_CHECK,
  RunnerClaimed,
  type RunnerDenials,
  RunnerExchanged,
  RunnerHeld,
  RunnerProxyHold,
} from '../../schema/runner-api.ts'
import type { CheckSource } from '../check/check-source.ts'
import { tasksFromWire } from '../check/kinds/check-kind.ts'
import { CHECK_KINDS } from '../check/kinds/check-kinds.ts'
import type { Task } from '../check/task.ts'
import type { Hold } from '../fetch/proxy/proxy-layer.ts'
import { ClaimLevel } from './claim-level.ts'
import { deliverOutcome } from './deliver-outcome.ts'
import { HeldToken } from './held-token.ts'
import { createRunnerApiClient, readAnswer, type RunnerApiClient } from './runner-api-client.ts'
import { isPassing, RunnerApiError } from './runner-api-error.ts'

export interface HttpCheckSourceOptions {
  /** The URL at which a worker serves the runner API, as in http://tidemark-worker:8081. */
  readonly url: string
  /** A runner token, until another one is used. */
  readonly token: string
  /** Returns the token that is kept now. It is asked when the one in use is refused: another process may renew it. */
  readonly reread?: () => Promise<string | null>
  readonly log: Logger
  /** The name of the address that searches come from. Absent: no searches are claimed. */
  readonly exit?: string
  /** The level of the work that it takes. Default: that of this version. */
  readonly level?: number
  /** Called once when the token is invalid or no longer valid: from now on nothing can be claimed or handed in. */
  readonly onRefused?: (error: RunnerApiError) => void
  /**
   * Called with what the worker denies to checks, with each response and before its checks are returned. What it throws
   * fails the request.
   */
  readonly onDenials: (denials: RunnerDenials) => void
}

/**
 * The check source over HTTP: a process without a store asks a worker for what the worker does for its own checks
 * (docs/browser.md).
 */
export interface HttpCheckSource extends CheckSource {
  /** Of the runner API. */
  readonly outage: Outage
  /** Asks how long leases last, in ms. Rejects when the runner API is unavailable or refuses the token. */
  greet(): Promise<{ readonly leaseMs: number }>
  /**
   * Returns the reservation function of a check's team. The worker reserves; the header of the reservation names the
   * check to the worker's relay.
   */
  holdFor(task: Held): Hold
  /** Returns the milliseconds for which the token is still valid, as far as known. */
  tokenMs(): number
  /** Returns the milliseconds until the token should be exchanged; 0: now. Null: it never is, as far as known. */
  renewInMs(): number | null
  /** Asks for another token. The one in use goes on working until the other one is used. */
  exchangeToken(): Promise<RunnerExchanged>
  /** Uses this token from now on. Returns false when it is the one in use. */
  useToken(token: string): boolean
  /** Returns the value of the header that authorizes a request. */
  authorization(): string
  /** Returns how many checks can still be claimed, as far as known. */
  claimsLeft(): number
  /** Tells the worker from now on whether browsers have their sandbox. */
  reportSandbox(isSandboxed: boolean): void
  close(): Promise<void>
}

/** The runner API answers small requests within this time. */
const ANSWER_MS = 10_000

/** Creates the check source. It sends nothing yet. */
export function createHttpCheckSource(options: HttpCheckSourceOptions): HttpCheckSource {
  const { url, log, exit, level = WORK_LEVEL, onRefused, onDenials, reread } = options
  const token = new HeldToken(options.token, reread)
  const client = createRunnerApiClient({ url, token: () => token.text })
  const claimLevel = new ClaimLevel(level)
  const outage = createOutage({ what: 'the runner API', log, isAway: isPassing, reasonOf: String })
  let leaseMs = 60_000
  let claimsLeft = Infinity
  let isRefused = false

  async function post(...asked: Parameters<typeof client.post>): Promise<unknown> {
    const sentWith = token.text
    try {
      const answer = await client.post(...asked)
      outage.answered()
      return answer
    } catch (error) {
      if (!(error instanceof RunnerApiError && error.isToken)) throw error
      if (await token.isOtherThan(sentWith)) return post(...asked)
      if (!isRefused) onRefused?.(error)
      isRefused = true
      throw error
    }
  }

  async function ask<S extends TSchema>(verb: string, body: object, schema: S) {
    return readAnswer(schema, await post(verb, { ...JSON_TYPE, body: JSON.stringify(body), timeoutMs: ANSWER_MS }))
  }

  function remember(answer: Terms, askedWith: string): void {
    onDenials(answer.denied)
    leaseMs = answer.lease_ms
    claimsLeft = answer.claims_left ?? Infinity
    token.note(answer, askedWith)
  }

  async function heartbeat(tasks: readonly Task[]): Promise<ReadonlySet<number>> {
    const askedWith = token.text
    const answer = await ask('heartbeat', { checks: tasks.map(checkOf) }, RunnerHeld)
    remember(answer, askedWith)
    return new Set(answer.held)
  }

  return {
    outage,
    holdFor: (task) => () => holdByWorker({ ask, post, log }, checkOf(task)),
    async greet() {
      await heartbeat([])
      return { leaseMs }
    },
    async claim(limit) {
      const claimedAt = performance.now()
      const askedWith = token.text
      const asked = { limit: Math.min(limit, MAX_CLAIMED), ...(exit !== undefined && { exit }) }
      const answer = await claimLevel.ask((key) => ask('claim', { ...asked, ...key }, RunnerClaimed))
      remember(answer, askedWith)
      return tasksFromWire(CHECK_KINDS, answer, claimedAt)
    },
    heartbeat,
    complete: (finished, signal = NEVER) => deliverOutcome(finished, { post, log, outage, leaseMs, signal }),
    async release(tasks, delayMs) {
      const body = JSON.stringify({ checks: tasks.map(checkOf), delay_ms: delayMs })
      await post('release', { ...JSON_TYPE, body, timeoutMs: ANSWER_MS })
    },
    tokenMs: () => token.livesMs(),
    renewInMs: () => token.renewInMs(),
    exchangeToken: () => ask('exchange', {}, RunnerExchanged),
    useToken: (text) => token.use(text),
    authorization: () => `Bearer ${token.text}`,
    claimsLeft: () => claimsLeft,
    reportSandbox: client.reportSandbox,
    close: () => client.close(),
  }
}

type Terms = Pick<RunnerHeld, 'lease_ms' | 'token_ms' | 'renew_ms' | 'denied' | 'claims_left'>

interface AskingWorker {
  readonly ask: (verb: string, body: object, schema: typeof RunnerProxyHold) => Promise<RunnerProxyHold>
  readonly post: (verb: string, asked: Parameters<RunnerApiClient['post']>[1]) => Promise<unknown>
  readonly log: Pick<Logger, 'warn'>
}

async function holdByWorker({ ask, post, log }: AskingWorker, check: Held): ReturnType<Hold> {
  const release = { ...JSON_TYPE, body: JSON.stringify(check), timeoutMs: ANSWER_MS }
  try {
    const { bytes, reason = 'none' } = await ask('proxy', check, RunnerProxyHold)
    if (bytes === undefined) return reason
    return {
      bytes,
      headers: { [RELAY_CHECK]: `${check.no} ${check.fence}` },
      async settle() {
        // What is not released is returned by itself after a few minutes.
        await post('proxy/release', release).catch((err: unknown) => log.warn({ err }, 'proxy bytes were not returned'))
      },
    }
  } catch (err) {
    log.warn({ err }, 'the proxy was not used: the runner API did not answer')
    return 'none'
  }
}

type Held = Pick<Task, 'no' | 'fence'>

const JSON_TYPE = { type: 'application/json' }
const MAX_CLAIMED = 100
const NEVER = new AbortController().signal

const checkOf = ({ no, fence }: Held) => ({ no, fence })
