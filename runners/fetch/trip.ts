import type { RunFault } from '../../schema/run/run-fault.ts'
import type { BodyRule } from '../../egress/exchange.ts'
import type { FetchLimits } from './fetch-limits.ts'
import type { FetchFailed, FetchPorts, FetchRequest } from './fetched.ts'

/** One fetch under way. */
export interface Trip {
  readonly request: FetchRequest
  readonly ports: FetchPorts
  readonly limits: FetchLimits
  readonly bodyRule: (status: number) => BodyRule
  /** By the monotonic clock, as is everything measured here. */
  readonly startedAt: number
  readonly deadlineMs: number
}

/** Whole milliseconds since the fetch began. */
export function elapsed(trip: Trip): number {
  return Math.round(performance.now() - trip.startedAt)
}

/** What a failed fetch gives back. */
export function failed(
  trip: Trip,
  fault: RunFault,
  status: number | null = null,
  retryAfter: number | null = null,
): FetchFailed {
  return { ok: false, fault, status, retryAfterMs: retryAfter, durationMs: elapsed(trip) }
}
