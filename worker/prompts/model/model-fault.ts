import type { RunFault, RunFaultCode } from '../../../schema/run/run-fault.ts'

/** A question that got no usable answer. */
export interface ModelFailure {
  readonly fault: RunFault
  /**
   * How long the endpoint asked to be left alone: whole ms, at most LONGEST_QUIET_MS; 0: it did not ask for a pause.
   */
  readonly retryAfterMs: number
  /** The fault may be temporary, so one more try makes sense. */
  readonly isPassing: boolean
  /** The model produced an answer and so did work for it: the call counts. */
  readonly wasAnswered: boolean
}

/**
 * The longest pause. An endpoint that asks for days is asked again after this time, because all monitors share it and
 * would wait.
 */
const LONGEST_QUIET_MS = 300_000

type Extra = Partial<Omit<ModelFailure, 'fault'>>

export function failure(code: RunFaultCode, message: string, extra: Extra = {}): ModelFailure {
  const retryAfterMs = Math.min(Math.ceil(extra.retryAfterMs ?? 0), LONGEST_QUIET_MS)
  return { fault: { code, message }, isPassing: false, wasAnswered: false, ...extra, retryAfterMs }
}

/**
 * Returns the failure for an error status. The endpoint's own text goes to the log only: it may contain the operator's
 * key or name, and the owner of the monitor is somebody else.
 */
export function statusFailure(status: number, retryAfterMs: number): ModelFailure {
  if (status === 429 || status === 503 || status === 529)
    return failure('model_busy', `The model is asked for more than it answers (status ${status}). ${LATER}`, {
      retryAfterMs,
      isPassing: true,
    })
  if (status === 401 || status === 403)
    return failure('model_failed', `The model's endpoint refuses our key (status ${status}). ${OPERATOR} LLM_API_KEY.`)
  if (status === 404)
    return failure(
      'model_failed',
      `The model's endpoint does not know the model or the address (status 404). ${OPERATOR} LLM_BASE_URL and ` +
        `LLM_MODEL.`,
    )
  if (status >= 300 && status < 400)
    return failure('model_failed', `The model's endpoint redirects (status ${status}). ${OPERATOR} LLM_BASE_URL.`)
  if (status === 413)
    return failure('model_failed', 'The page is larger than the model can read (status 413). Watch a smaller page.')
  if (status < 500)
    return failure(
      'model_failed',
      `The model's endpoint refused the question (status ${status}). The page may be too long for it, or the ` +
        `schema unusual; the log says more.`,
    )
  return failure('model_failed', `The model's endpoint failed (status ${status}). ${LATER}`, {
    retryAfterMs,
    isPassing: true,
  })
}

export const unreachable = () =>
  failure(
    'model_failed',
    `The model's endpoint could not be reached, or cut the connection. ${OPERATOR} LLM_BASE_URL.`,
    {
      isPassing: true,
    },
  )

export const tooSlow = (ms: number) =>
  failure('model_timeout', `The model did not answer within ${Math.round(ms / 100) / 10} seconds. ${LATER}`)

/** The endpoint responded, but the response is not valid in the protocol. */
export const malformed = (what: string) =>
  failure('model_answer', `The answer of the model's endpoint is malformed: ${what}. ${OPERATOR} LLM_BASE_URL.`, {
    wasAnswered: true,
  })

const LATER = 'The next run asks again.'
const OPERATOR = 'Whoever runs this installation looks at'
