import { type Batcher, createBatchWriter } from '../../concurrency/batches/batch-writer.ts'
import type { Logger } from '../../core/logger.ts'
import { runIdTime } from '../../core/run-id.ts'
import type { Finished } from '../../runners/check/check-source.ts'
import type { PageMark } from '../../runners/check/reading.ts'
import type { RunFault } from '../../schema/run/run-fault.ts'
import { type Queryable, type Store, storeAway } from '../../store/db/client.ts'
import { sqlStateOf } from '../../store/db/store-fault.ts'
import { type Noticed, recordWithNotices } from '../../store/deliveries/run-events.ts'
import { recordFailed } from '../../store/queue/record-failed.ts'
import { ensurePartitionsOf, NO_PARTITION } from '../../store/queue/record-reading.ts'
import { PLAIN_RUNS, type RunsOfKind } from '../../store/queue/runs-of-kind.ts'
import { layersThatRead } from './by-layer.ts'

/** A check that is ready to be compared and recorded. */
export interface Recordable extends Omit<Finished, 'reading'> {
  readonly reading: Exclude<Finished['reading'], { kind: 'text' | 'moved' }>
}

/** Makes writers for finished checks: one for each result of a kind. They write in batches. */
export interface RunWriters {
  /** `record` is safe to repeat: a run that was recorded no longer has the run id of its fence. */
  writer<T extends Fenced & Noticed>(
    record: (on: Queryable, rows: readonly T[]) => Promise<{ has(no: number): boolean }>,
    more?: {
      readonly onWritten?: (rows: readonly T[]) => void
      /** Default: runs without columns that only their kind has. */
      readonly of?: RunsOfKind
    },
  ): Batcher<T>
  /** Wakes the delivery loop of this process where a row has a delivery. */
  wakeDeliveries(rows: readonly { readonly deliveries: readonly unknown[] }[]): void
}

interface WritersOptions {
  readonly store: Store
  readonly log: Logger
  readonly onDeliveries: () => void
  readonly onNotices?: () => void
  readonly onInternalError?: () => void
  readonly patienceMs: number
}

interface Fenced {
  readonly no: number
  readonly fence: number
  readonly run_id: string
}

/** The longest time that a batch waits for more items. */
export const BATCH_WAIT_MS = 20
const BATCHES = { maxItems: 1000, maxWaitMs: BATCH_WAIT_MS, parallel: 2 }

export function createRunWriters(options: WritersOptions): RunWriters {
  const { store, log, onDeliveries, onNotices } = options

  /**
   * Writes the rows. If a monthly partition is missing, creates it and writes again. A partition is missing if the
   * clock has moved into a month that was not prepared, or if the check was claimed before the clock moved.
   */
  async function inPartitions(rows: readonly Fenced[], write: () => Promise<unknown>): Promise<void> {
    try {
      await write()
    } catch (error) {
      if (sqlStateOf(error) !== NO_PARTITION) throw error
      const runIds = rows.map((row) => row.run_id)
      await ensurePartitionsOf(store, runIds)
      await write()
    }
  }

  /**
   * A row that cannot be written even alone becomes an error run, so that its monitor does not repeat the same attempt
   * for ever.
   */
  async function giveUp({ no, fence, run_id }: Fenced, error: unknown, of: RunsOfKind): Promise<void> {
    log.error({ err: error, run_id }, 'the store refuses the outcome of a check; it is recorded as a failure')
    options.onInternalError?.()
    const message = 'The outcome could not be stored; the log has the details under the run id.'
    const nothing = { start_offset_ms: 0, duration_ms: 0, fetch_method: null, fetch_reason: null, retry_after_ms: 0 }
    const failed = { no, fence, run_id, ...nothing, error_code: 'internal', error_message: message } as const
    await recordFailed(store, [failed], of)
  }

  return {
    writer: (record, { onWritten, of = PLAIN_RUNS } = {}) =>
      createBatchWriter({
        ...BATCHES,
        ...storeAway(options),
        write: (rows) =>
          inPartitions(rows, async () => {
            if (await recordWithNotices(store, rows, record)) onNotices?.()
            onWritten?.(rows)
          }),
        giveUp: (row, error) => inPartitions([row], () => giveUp(row, error, of)),
      }),
    wakeDeliveries(rows) {
      if (rows.some(({ deliveries }) => deliveries.length > 0)) onDeliveries()
    },
  }
}

/** How a run ended, for its line in the log. */
export interface RunEnd {
  readonly outcome: 'first' | 'unchanged' | 'changed' | 'failed'
  /** Whether or not there is a destination. */
  readonly fired: boolean
  readonly code?: RunFault['code']
}

/** What a line says of a run. */
interface EndedRun extends Pick<Finished, 'task' | 'startedMs' | 'endedMs'> {
  readonly reading: { readonly fetchMethod?: string | null }
}

/** Writes a line for each recorded run. */
interface RunLog {
  ended(run: EndedRun, monitorName: string, end: RunEnd): void
  /** Writes what was counted since the last summary. */
  close(): void
}

/**
 * An unchanged check costs a worker 71 µs, and its line 7 to 9 µs more. So a process writes at most this many lines a
 * second about unchanged runs, and counts the others in a line a minute. At the level debug each has its line.
 */
const UNCHANGED_PER_SECOND = 20
const SUMMARY_MS = 60_000

export function createRunLog(log: Logger): RunLog {
  let second = 0
  let inSecond = 0
  let unlisted = 0
  let timer: NodeJS.Timeout | undefined

  function isListed({ outcome }: RunEnd): boolean {
    if (outcome !== 'unchanged' || log.isLevelEnabled('debug')) return true
    const now = Math.floor(performance.now() / 1000)
    if (now !== second) {
      second = now
      inSecond = 0
    }
    inSecond += 1
    return inSecond <= UNCHANGED_PER_SECOND
  }

  function summarize(): void {
    clearTimeout(timer)
    timer = undefined
    if (unlisted > 0) log.info({ unchanged: unlisted }, 'runs that are not listed')
    unlisted = 0
  }

  return {
    ended({ task, reading, startedMs, endedMs }, monitorName, end) {
      if (!log.isLevelEnabled('info')) return
      if (!isListed(end)) {
        unlisted += 1
        timer ??= setTimeout(summarize, SUMMARY_MS).unref()
        return
      }
      log.info(
        {
          run_id: task.runId,
          monitor_id: task.monitorId,
          monitor: monitorName,
          layer: reading.fetchMethod,
          ms: Math.max(0, endedMs - startedMs),
          ...end,
        },
        'run',
      )
    },
    close: summarize,
  }
}

/** The largest int4 in milliseconds (24 days). A run that waited longer for its worker is recorded with this value. */
const LONGEST_MS = 2 ** 31 - 1
const span = (from: number, to: number) => Math.min(LONGEST_MS, Math.max(0, to - from))

export function checkColumns({ task, startedMs, endedMs }: Recordable) {
  return {
    no: task.no,
    fence: task.fence,
    run_id: task.runId,
    start_offset_ms: span(runIdTime(task.runId), startedMs),
    duration_ms: span(startedMs, endedMs),
  }
}

/** Returns the columns that every finished check of a page has. */
export function runColumns(finished: Recordable) {
  const { reading } = finished
  return {
    ...checkColumns(finished),
    fetch_method: reading.fetchMethod ?? 'static',
    fetch_reason: ('fetchReason' in reading && reading.fetchReason) || null,
    without_media: ('withoutMedia' in reading && reading.withoutMedia) || null,
  }
}

/** Returns the columns by which the next check sees that nothing changed. */
export function markColumns({ etag, lastModified, bodyHash }: PageMark) {
  return { etag, last_modified: lastModified, body_hash: bodyHash && Buffer.from(bodyHash) }
}

export const sameColumns = (
  finished: Recordable,
  same: Parameters<typeof layersThatRead>[0] & { readonly mark: PageMark },
) => ({
  ...runColumns(finished),
  ...markColumns(same.mark),
  read_by: layersThatRead(same),
})

export const UNMARKED: PageMark = { etag: null, lastModified: null, bodyHash: null }

export function failureColumns(finished: Recordable, fault: RunFault, retryAfterMs: number) {
  return {
    ...runColumns(finished),
    // A failure may have no layer at all.
    fetch_method: finished.reading.fetchMethod,
    error_code: fault.code,
    error_message: fault.message,
    // Rounded to an integer, as the column requires: a fraction would make the store refuse the whole batch.
    retry_after_ms: Math.max(0, Math.ceil(retryAfterMs)),
  }
}
