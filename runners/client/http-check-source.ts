import type { TSchema } from 'typebox'
import type { Logger } from '../../core/logger.ts'
import { RunnerClaimed, type RunnerDenials, RunnerHeld } from '../../schema/runner-api.ts'
import type { Task } from '../check/task.ts'
import { deliverOutcome } from './deliver-outcome.ts'
import { createRunnerApiClient, readAnswer } from './runner-api-client.ts'
import { isPassing, RunnerApiError } from './runner-api-error.ts'
import type { CheckSource } from '../check/check-source.ts'
import { createOutage, type Outage } from '../../concurrency/outage.ts'
import { taskFromWire } from './task-wire.ts'

export interface HttpCheckSourceOptions {
  /** The URL at which a worker serves the runner API, as in http://tidemark-worker:8081. */
  readonly url: string
  /** A runner token. */
  readonly token: string
  readonly log: Logger
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
  /** Returns the milliseconds for which the token is still valid, as far as known. */
  tokenMs(): number
  close(): Promise<void>
}

const QUICK_MS = 10_000

/** Creates the check source. It sends nothing yet. */
export function createHttpCheckSource(options: HttpCheckSourceOptions): HttpCheckSource {
  const { url, token, log, onRefused, onDenials } = options
  const client = createRunnerApiClient({ url, token })
  const outage = createOutage({ what: 'the runner API', log, isAway: isPassing, reasonOf: String })
  let leaseMs = 60_000
  let tokenEndsAt = Infinity
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
    return readAnswer(schema, await post(verb, { ...JSON_TYPE, body: JSON.stringify(body), timeoutMs: QUICK_MS }))
  }

  function remember(answer: Pick<RunnerHeld, 'lease_ms' | 'token_ms' | 'denied'>): void {
    onDenials(answer.denied)
    leaseMs = answer.lease_ms
    tokenEndsAt = performance.now() + answer.token_ms
  }

  async function heartbeat(tasks: readonly Task[]): Promise<ReadonlySet<number>> {
    const answer = await ask('heartbeat', { checks: tasks.map(checkOf) }, RunnerHeld)
    remember(answer)
    return new Set(answer.held)
  }

  return {
    outage,
    async greet() {
      await heartbeat([])
      return { leaseMs }
    },
    async claim(limit) {
      const claimedAt = performance.now()
      const answer = await ask('claim', { limit: Math.min(limit, MOST_CLAIMED) }, RunnerClaimed)
      remember(answer)
      return answer.tasks.map((task) => taskFromWire(task, claimedAt))
    },
    heartbeat,
    complete: (finished, signal = NEVER) => deliverOutcome(finished, { post, log, outage, leaseMs, signal }),
    async release(tasks, delayMs) {
      const body = JSON.stringify({ checks: tasks.map(checkOf), delay_ms: delayMs })
      await post('release', { ...JSON_TYPE, body, timeoutMs: QUICK_MS })
    },
    tokenMs: () => tokenEndsAt - performance.now(),
    close: () => client.close(),
  }
}

const JSON_TYPE = { type: 'application/json' }
const MOST_CLAIMED = 100
const NEVER = new AbortController().signal

const checkOf = ({ no, fence }: Task) => ({ no, fence })
