import type { RemoteAnswer } from './remote-request.ts'

/** Time limit of one attempt. The API ends a request after a minute. */
export const ANSWER_MS = 65_000
/** Pauses before the attempts after the first one. */
export const PAUSES_MS = [250, 500, 1_000] as const
/** With this one, the server has not begun with the request. It may have ended it before it says one of the others. */
export const NOT_BEGUN: ReadonlySet<number> = new Set([429])
/** A server that asks for a longer pause is not waited for. */
export const LONGEST_PAUSE_MS = 20_000
/** Statuses of a server, or of a balancer before it, that has no time at this moment. */
const BUSY: ReadonlySet<number> = new Set([429, 502, 503, 504])

/**
 * Returns whether the same request may be answered otherwise in a moment. A conflict with a time to wait is that of an
 * earlier attempt, which the server has not ended yet.
 */
export const isBusy = ({ status, headers }: Omit<RemoteAnswer, 'isRepeated'>): boolean =>
  BUSY.has(status) || (status === 409 && headers.has('retry-after'))

/** A limit of the plan has the status of a limit of rates, and does not pass by waiting. */
export const isLimitOfPlan = ({ status, text }: { readonly status: number; readonly text: string }) =>
  status === 429 && !text.includes('RATE_LIMIT_EXCEEDED')

/** Returns whether another attempt would end in the same way. */
export const isFinal = (error: unknown) => /CERT|SSL|TLS|ENOTFOUND|bad port/i.test(reasonOf(error))

/** Returns whether no byte of a request can have reached the server. */
export const hasNotArrived = (error: unknown) =>
  isFinal(error) || /ECONNREFUSED|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT/.test(reasonOf(error))

export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `nothing within ${ANSWER_MS / 1_000} seconds`
  const { cause } = error
  // A refusal of a proxy has a number in place of a code.
  if (cause instanceof Error) return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message
  return error.message
}
