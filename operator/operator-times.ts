import type { Rate } from '../concurrency/loops/token-bucket.ts'

/** How fast mirrors follow. */
export interface MirrorTimes {
  /** All records are looked at this often, in milliseconds, where a team has few of them. */
  readonly everyMs: number
  /** The pause after a page of records. */
  readonly pageMs: number
  /** Writes to the API server, over all namespaces. */
  readonly writes: Rate
}

/** A team with 10,000 records is looked at once in 200 seconds, and first written within 20 minutes. */
export const MIRROR_TIMES: MirrorTimes = { everyMs: 10_000, pageMs: 1_000, writes: { perSecond: 20, burst: 20 } }

/** Durations in milliseconds. */
interface SpawnerTimes {
  /** How often the queue is asked. */
  readonly everyMs: number
  /** A released Job that a watch, which works, has not shown for this long is not there. */
  readonly unseenMs: number
  /** After a refusal or a failed pod, no Job is created for this long. Each time is twice as long as the one before. */
  readonly pauses: { readonly firstMs: number; readonly longestMs: number }
}

export const SPAWNER_TIMES: SpawnerTimes = {
  everyMs: 2_000,
  unseenMs: 30_000,
  pauses: { firstMs: 2_000, longestMs: 300_000 },
}

/** Durations in milliseconds. */
interface ReconcilerTimes {
  /** Each resource and its record are compared again about this often, whatever was heard of them. */
  readonly resyncMs: number
  /** A resource that reads Secrets, or that was refused, is looked at again after this. */
  readonly secretMs: number
  /** One status in this time because of results, after the first few. */
  readonly statusMs: number
}

/** Durations of an operator, in milliseconds, which tests shorten. */
export interface OperatorTimes extends ReconcilerTimes {
  readonly mirrors: MirrorTimes
  readonly runners: SpawnerTimes
  /** How often the store is asked for new results. */
  readonly resultsMs: number
  readonly election: { readonly leaseMs: number; readonly renewMs: number; readonly everyMs: number }
}

export const OPERATOR_TIMES: OperatorTimes = {
  resultsMs: 1_000,
  resyncMs: 600_000,
  secretMs: 60_000,
  statusMs: 60_000,
  mirrors: MIRROR_TIMES,
  runners: SPAWNER_TIMES,
  election: { leaseMs: 15_000, renewMs: 10_000, everyMs: 2_000 },
}
