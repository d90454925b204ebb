/** A check that was recorded. Times are those of `performance.now()`. */
export interface TracedCheck {
  /** The task that `fetched` was called with. */
  readonly task: object
  readonly runId: string
  readonly monitorId: string
  readonly layer: string | null
  readonly outcome: string
  readonly fired: boolean
  readonly code: string | null
  readonly claimedAt: number
  readonly startedAt: number
  readonly endedAt: number
}

/** An attempt of a delivery that ended now. */
interface TracedDelivery {
  readonly runId: string
  readonly deliveryId: string
  readonly type: string
  readonly host: string
  readonly attempt: number
  readonly status: string
  readonly responseStatus: number | null
  readonly startedAt: number
}

/** A request to the API that was answered now. */
interface TracedRequest {
  readonly requestId: string
  readonly method: string
  readonly route: string
  readonly status: number
  /** The time of the request in milliseconds. */
  readonly ms: number
  readonly monitorId: string | null
}

/** The place of a request in a trace, as W3C Trace Context has it. */
export interface RequestTrace {
  /** Puts a request that belongs to no other trace into that of the run that it started; else links to it. */
  startedRun(runId: string): void
  /** The value of the header `traceparent`. */
  readonly header: string
}

/**
 * Reports where time goes, from a request over the check to the delivery. The trace of a run has the run's own id, so
 * that nothing has to be stored for it.
 */
export interface Tracer {
  /** The page of this task was fetched now; what follows is its extraction. */
  fetched(task: object): void
  check(check: TracedCheck): void
  delivery(delivery: TracedDelivery): void
  /** `traceparent`: the header of the caller. */
  beginRequest(traceparent: string | undefined): RequestTrace
  endRequest(trace: RequestTrace, request: TracedRequest): void
  /** Sends what waits, for a few seconds at most. */
  close(): Promise<void>
}
