import type { Logger } from '../../core/logger.ts'
import type { Store } from '../../store/db/client.ts'
import { sqlStateOf } from '../../store/db/store-fault.ts'
import { storeAway } from '../../store/db/while-store-away.ts'
import { type Recording, recordTelling, type Telling } from '../../store/deliveries/notices.ts'
import { type FailedRun, recordFailed } from '../../store/queue/record-failed.ts'
import { type PicturedRun, recordPictured } from '../../store/queue/record-pictured.ts'
import { type ReadingRun, recordReadings } from '../../store/queue/record-reading.ts'
import { recordUnchanged, type UnchangedRun } from '../../store/queue/record-unchanged.ts'
import { ensurePartitionsOf, NO_PARTITION } from '../../store/queue/run-partitions.ts'
import { createBatchWriter } from '../../concurrency/batch-writer.ts'
import type { Batcher } from '../../concurrency/batcher.ts'

/** Where finished checks are written, in groups, by what came of them. */
interface Sinks {
  readonly failed: Batcher<FailedRun & Telling>
  readonly unchanged: Batcher<UnchangedRun & Telling>
  readonly readings: Batcher<ReadingRun & Telling>
  /** Readings with what they saw. */
  readonly pictured: Batcher<PicturedRun & Telling>
}

interface SinksOptions {
  readonly store: Store
  readonly log: Logger
  readonly onDeliveries: () => void
  readonly onNotices?: () => void
  readonly patienceMs: number
}

interface Fenced {
  readonly no: number
  readonly fence: number
  readonly run_id: string
}

/** A batch waits at most this long. */
export const BATCH_WAIT_MS = 20

export function createSinks({ store, log, onDeliveries, onNotices, patienceMs }: SinksOptions): Sinks {
  const batches = <T extends Fenced>(write: (rows: readonly T[]) => Promise<unknown>): Batcher<T> =>
    createBatchWriter<T>({
      ...storeAway({ log, patienceMs }),
      maxItems: 1000,
      maxWaitMs: BATCH_WAIT_MS,
      parallel: 2,
      write: (rows) => inPartitions(rows, () => write(rows)),
      giveUp: (row, error) => inPartitions([row], () => giveUp(row, error)),
    })

  /** The clock has moved into a month that nobody has prepared, or the check was claimed before it did. */
  async function inPartitions(rows: readonly Fenced[], write: () => Promise<unknown>): Promise<void> {
    try {
      await write()
    } catch (error) {
      if (sqlStateOf(error) !== NO_PARTITION) throw error
      await ensurePartitionsOf(
        store,
        rows.map((row) => row.run_id),
      )
      await write()
    }
  }

  /**
   * A row that cannot be written even alone becomes an error run, so that its monitor does not try the same for ever.
   */
  async function giveUp({ no, fence, run_id }: Fenced, error: unknown): Promise<void> {
    log.error({ err: error, run_id }, 'the store refuses the outcome of a check; it is recorded as a failure')
    const message = 'The outcome could not be stored; the log has the details under the run id.'
    const nothing = { start_offset_ms: 0, duration_ms: 0, fetch_method: null, retry_after_ms: 0 }
    await recordFailed(store, [{ no, fence, run_id, ...nothing, error_code: 'internal', error_message: message }])
  }

  /** The owner is told where a run crosses the line; without mail nothing is queued. */
  async function write<T extends Telling>(rows: readonly T[], recording: Recording<NoInfer<T>>): Promise<void> {
    if (!onNotices) await recording.record(store, rows)
    else if (await recordTelling(store, rows, recording)) onNotices()
  }

  return {
    failed: batches((rows) => write(rows, { kind: 'failing', record: recordFailed })),
    unchanged: batches((rows) => write(rows, { kind: 'recovered', record: recordUnchanged })),
    readings: batches(async (rows) => {
      await write(rows, { kind: 'recovered', record: recordReadings })
      if (rows.some((row) => row.deliveries.length > 0)) onDeliveries()
    }),
    pictured: batches(async (rows) => {
      await write(rows, { kind: 'recovered', record: recordPictured })
      if (rows.some((row) => row.deliveries.length > 0)) onDeliveries()
    }),
  }
}
