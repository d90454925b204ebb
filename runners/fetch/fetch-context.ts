import type { RunFault } from '../../schema/run/run-fault.ts'
import type { BodyRule } from '../../egress/exchange.ts'
import type { FetchLimits } from './fetch-limits.ts'
import type { FetchFailed, FetchPorts, FetchRequest } from './fetched.ts'

/** One running fetch. */
export interface FetchContext {
  readonly request: FetchRequest
  readonly ports: FetchPorts
  readonly limits: FetchLimits
  readonly bodyRule: (status: number) => BodyRule
  /** By the monotonic clock, as all durations here. */
  readonly startedAt: number
  readonly deadlineMs: number
}

/** Returns the whole milliseconds since the fetch began. */
export function elapsed(context: FetchContext): number {
  return Math.round(performance.now() - context.startedAt)
}

/** Returns the result of a failed fetch. */
export function failed(
  context: FetchContext,
  fault: RunFault,
  status: number | null = null,
  retryAfter: number | null = null,
): FetchFailed {
  return { ok: false, fault, status, retryAfterMs: retryAfter, durationMs: elapsed(context) }
}
