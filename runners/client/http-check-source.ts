import type { TSchema } from 'typebox'
import { createOutage, type Outage } from '../../concurrency/loops/outage.ts'
import type { Logger } from '../../core/logger.ts'
import { WORK_LEVEL } from '../../schema/level.ts'
import { RELAY_CHECK, RunnerClaimed, type RunnerDenials, RunnerHeld, RunnerProxyHold } from '../../schema/runner-api.ts'
import type { CheckSource } from '../check/check-source.ts'
import { tasksFromWire } from '../check/kinds/check-kind.ts'
import { CHECK_KINDS } from '../check/kinds/check-kinds.ts'
import type { Task } from '../check/task.ts'
import type { Hold } from '../fetch/proxy/proxy-layer.ts'
import { ClaimLevel } from './claim-level.ts'
import { deliverOutcome } from './deliver-outcome.ts'
import { createRunnerApiClient, readAnswer, type RunnerApiClient } from './runner-api-client.ts'
import { isPassing, RunnerApiError } from './runner-api-error.ts'

export interface HttpCheckSourceOptions {
  /** The URL at which a worker serves the runner API, as in http://tidemark-worker:8081. */
  readonly url: string
  /** A runner token. */
  readonly token: string
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
  const { url, token, log, exit, level = WORK_LEVEL, onRefused, onDenials } = options
  const client = createRunnerApiClient({ url, token })
  const claimLevel = new ClaimLevel(level)
  const outage = createOutage({ what: 'the runner API', log, isAway: isPassing, reasonOf: String })
  let leaseMs = 60_000
  let tokenEndsAt = Infinity
  let claimsLeft = Infinity
  let isRefused = false

  async function post(...asked: Parameters<typeof client.post>): Promise<unknown> {
    try {
      const answer = await client.post(...asked)
      outage.answered()
      return answer
    } catch (error) {
      if (error instanceof RunnerApiError && error.isToken && !isRefused) {
        isRefused = true
        onRefused?.(error)
      }
      throw error
    }
  }

  async function ask<S extends TSchema>(verb: string, body: object, schema: S) {
    return readAnswer(schema, await post(verb, { ...JSON_TYPE, body: JSON.stringify(body), timeoutMs: ANSWER_MS }))
  }

  function remember(answer: Pick<RunnerHeld, 'lease_ms' | 'token_ms' | 'denied' | 'claims_left'>): void {
    onDenials(answer.denied)
    leaseMs = answer.lease_ms
    tokenEndsAt = performance.now() + answer.token_ms
    claimsLeft = answer.claims_left ?? Infinity
  }

  async function heartbeat(tasks: readonly Task[]): Promise<ReadonlySet<number>> {
    const answer = await ask('heartbeat', { checks: tasks.map(checkOf) }, RunnerHeld)
    remember(answer)
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
      const asked = { limit: Math.min(limit, MAX_CLAIMED), ...(exit !== undefined && { exit }) }
      const answer = await claimLevel.ask((key) => ask('claim', { ...asked, ...key }, RunnerClaimed))
      remember(answer)
      return tasksFromWire(CHECK_KINDS, answer, claimedAt)
    },
    heartbeat,
    complete: (finished, signal = NEVER) => deliverOutcome(finished, { post, log, outage, leaseMs, signal }),
    async release(tasks, delayMs) {
      const body = JSON.stringify({ checks: tasks.map(checkOf), delay_ms: delayMs })
      await post('release', { ...JSON_TYPE, body, timeoutMs: ANSWER_MS })
    },
    tokenMs: () => tokenEndsAt - performance.now(),
    claimsLeft: () => claimsLeft,
    reportSandbox: client.reportSandbox,
    close: () => client.close(),
  }
}

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
