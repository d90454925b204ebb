import type { Outage } from '../../concurrency/loops/outage.ts'
import { retryWhile } from '../../concurrency/loops/retry.ts'
import type { Logger } from '../../core/logger.ts'
import type { RunFault } from '../../schema/run/run-fault.ts'
import { OUTCOME_HEAD_BYTES, OUTCOME_PICTURES_BYTES, OUTCOME_TYPE } from '../../schema/runner-api.ts'
import type { Finished } from '../check/check-source.ts'
import { frameOutcome, type OutcomeFrame } from './outcome-frame.ts'
import { outcomeToWire } from './outcome-wire.ts'
import type { RunnerApiClient } from './runner-api-client.ts'
import { RunnerApiError } from './runner-api-error.ts'

interface Delivery {
  readonly post: RunnerApiClient['post']
  readonly log: Logger
  readonly outage: Outage
  readonly leaseMs: number
  readonly signal: AbortSignal
}

/** The response comes when the outcome is recorded. That waits for an unavailable store as long as a lease lasts. */
const RECORD_SLACK_MS = 60_000
/** A model may take two calls of ten minutes, after a wait in its queue. */
const MODEL_MS = 1_800_000

/**
 * Hands an outcome to the runner API. An outcome that the API refuses is handed in as a failure that says so: otherwise
 * the check would be repeated forever. Also resolves when the fencing token is out of date or was used by an earlier
 * try, and when the signal reports that the lease is lost.
 */
export async function deliverOutcome(finished: Finished, delivery: Delivery): Promise<void> {
  try {
    const frame = outcomeToWire(finished)
    if (isTooLarge(frame)) await deliver(outcomeToWire(failedWith(finished, TOO_LARGE)), QUICK, delivery)
    else await deliverOrFail(frame, finished, delivery)
  } catch (error) {
    if (!(error instanceof RunnerApiError && error.status === 409) && !delivery.signal.aborted) throw error
  }
}

async function deliverOrFail(frame: OutcomeFrame, finished: Finished, delivery: Delivery): Promise<void> {
  try {
    await deliver(frame, { asksModel: finished.reading.kind === 'text' }, delivery)
  } catch (error) {
    if (!(error instanceof RunnerApiError && [413, 415, 422].includes(error.status))) throw error
    delivery.log.error({ err: error, run_id: finished.task.runId }, 'the runner API refuses an outcome; its run fails')
    await deliver(outcomeToWire(failedWith(finished, REFUSED)), QUICK, delivery)
  }
}

const QUICK = { asksModel: false }

/** Retries for as long as the lease can last; the fencing token lets only one try succeed. */
async function deliver(frame: OutcomeFrame, { asksModel }: { asksModel: boolean }, delivery: Delivery): Promise<void> {
  const { post, log, outage, leaseMs, signal } = delivery
  const timeoutMs = asksModel ? MODEL_MS : leaseMs + RECORD_SLACK_MS
  const asked = { type: OUTCOME_TYPE, body: Buffer.concat(frameOutcome(frame)), signal, timeoutMs }
  const isRetryable = (error: unknown) => !signal.aborted && !(error instanceof RunnerApiError && !error.isPassing)
  const onRetry = (err: unknown) => {
    if (!outage.covers(err, 'outcomes that wait')) log.warn({ err }, 'an outcome could not be handed in; it waits')
  }
  await retryWhile(() => post('complete', asked), { patienceMs: leaseMs, isRetryable, onRetry, signal })
}

function isTooLarge({ head, pictures }: OutcomeFrame): boolean {
  const bytes = pictures.reduce((sum, { byteLength }) => sum + byteLength, 0)
  return bytes > OUTCOME_PICTURES_BYTES || head.byteLength > OUTCOME_HEAD_BYTES
}

function failedWith(finished: Finished, fault: RunFault): Finished {
  return { ...finished, reading: { kind: 'failed', fetchMethod: 'browser', fault, retryAfterMs: 0 } }
}

const TOO_LARGE: RunFault = {
  code: 'too_large',
  message:
    `The pictures of this page are larger than ${OUTCOME_PICTURES_BYTES / 1_048_576} MiB together. Watch fewer ` +
    `regions, or a smaller viewport.`,
}
const REFUSED: RunFault = {
  code: 'internal',
  message: 'The result of a runner was refused; its log has the details under the run id.',
}
