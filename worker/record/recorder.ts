import { readingHash } from '../../core/diff/reading-hash.ts'
import type { Logger } from '../../core/logger.ts'
import type { RunFault } from '../../schema/run/run-fault.ts'
import { type Baseline, readBaselines } from '../../store/queue/baselines.ts'
import type { Store } from '../../store/db/client.ts'
import type { ReadingRun } from '../../store/queue/record-reading.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import type { PatternMatcher } from '../../runners/pattern/pattern-matcher.ts'
import type { Pictures } from '../pictures/pictures.ts'
import { createBatcher } from '../../concurrency/batcher.ts'
import { SealedError } from './outbox.ts'
import { type Read, readingRow } from './reading-row.ts'
import type { Recordable } from './recordable.ts'
import { failedRow, unchangedRow } from './run-rows.ts'
import { createSight } from './visual-result.ts'
import { BATCH_WAIT_MS, createSinks } from './batch-writers.ts'
import { storable } from '../../core/storable.ts'
import { whileStoreAway } from '../../store/db/while-store-away.ts'

/** The trusted side of a check: compares, decides, and writes in groups. */
export interface Recorder {
  /**
   * Resolves once the outcome is recorded, or void because the fence was lost. Never rejects: what cannot be written is
   * logged, and its lease ends.
   */
  record(finished: Recordable, context: RecordContext): Promise<void>
  settle(): Promise<void>
}

/** What the recorder knows of a check besides its outcome. */
export interface RecordContext {
  readonly teamId: string
  /** Hash of the baseline's reading; null when there is none. */
  readonly readingHash: Uint8Array | null
  /** Failures in a row before this check. */
  readonly failures: number
}

interface RecorderOptions {
  readonly store: Store
  readonly secrets: SecretBox
  readonly patterns: PatternMatcher
  /** Compares and stores screenshots; without it, a check that took some fails. */
  readonly pictures?: Pictures
  readonly log: Logger
  /** Called when a batch wrote deliveries: wakes the delivery loop of this process. */
  readonly onDeliveries: () => void
  /**
   * Called when a batch may have written notices: wakes their loop. Absent: this installation sends no mail, and none
   * is queued.
   */
  readonly onNotices?: () => void
  /** How long a batch is tried while the store is away: no longer than its leases last. */
  readonly patienceMs: number
}

/** A baseline that is asked for in company. */
interface Lookup {
  readonly no: number
  readonly fence: number
  found?: Baseline | undefined
}

const UNJUDGED = 'The reading could not be compared with the last one; the log has the details under the run id.'

export function createRecorder(options: RecorderOptions): Recorder {
  const { store, log, patienceMs } = options
  const underWay = new Set<Promise<void>>()
  const { failed, unchanged, readings, pictured } = createSinks(options)
  const see = createSight(options)
  const lookups = createBatcher<Lookup>({ maxItems: 500, maxWaitMs: BATCH_WAIT_MS, parallel: 4, flush: lookUp })

  async function lookUp(items: readonly Lookup[]): Promise<void> {
    const baselines = await whileStoreAway(() => readBaselines(store, items), { log, patienceMs })
    for (const item of items) item.found = baselines.get(item.no)
  }

  /** Outside of any batch: a pattern that takes its time holds up no other check. */
  async function compare(item: Read): Promise<void> {
    const { task } = item.finished
    const lookup: Lookup = { no: task.no, fence: task.fence }
    await lookups.add(lookup)
    // Without one the fence is lost: somebody else has the check now, or it was edited meanwhile.
    if (lookup.found) await judged(item, lookup.found)
  }

  async function judged(item: Read, baseline: Baseline): Promise<void> {
    const standing = { failures_before: item.failures }
    let row: ReadingRun | RunFault
    const sight = await see(item, baseline)
    if (sight?.kind === 'failed') return failed.add({ ...failedRow(item.finished, sight.fault, 0), ...standing })
    try {
      row = await readingRow(item, baseline, sight ? { ...options, visual: sight } : options)
    } catch (error) {
      const { runId } = item.finished.task
      log.error({ err: error, run_id: runId }, 'a reading could not be judged; it is recorded as a failure')
      const message = error instanceof SealedError ? error.message : UNJUDGED
      return failed.add({ ...failedRow(item.finished, { code: 'internal', message }, 0), ...standing })
    }
    if ('code' in row) return failed.add({ ...failedRow(item.finished, row, 0), ...standing })
    if (!sight) return readings.add({ ...row, ...standing })
    const is_first = baseline.reading_id === null
    return pictured.add({ ...row, ...standing, team_id: item.teamId, pictures: sight.pictures, is_first })
  }

  async function route(finished: Recordable, context: RecordContext): Promise<void> {
    const { reading } = finished
    const { teamId, failures } = context
    const standing = { failures_before: failures }
    if (reading.kind === 'failed')
      return failed.add({ ...failedRow(finished, reading.fault, reading.retryAfterMs), ...standing })
    if (reading.kind === 'unchanged') return unchanged.add({ ...unchangedRow(finished, reading.mark), ...standing })
    const values = storable(reading.values)
    const hash = readingHash(values)
    const isSame = context.readingHash !== null && Buffer.compare(context.readingHash, hash) === 0
    // What has pictures is compared by them too.
    if (isSame && reading.warnings.length === 0 && !reading.shots)
      return unchanged.add({ ...unchangedRow(finished, reading.mark), ...standing })
    return compare({ finished, reading: { ...reading, values }, teamId, failures, hash: Buffer.from(hash) })
  }

  async function record(finished: Recordable, context: RecordContext): Promise<void> {
    try {
      await route(finished, context)
    } catch (error) {
      const text = 'an outcome was not recorded; the check runs again when its lease ends'
      log.error({ err: error, run_id: finished.task.runId }, text)
    }
  }

  return {
    record(finished, context) {
      const recorded = record(finished, context).finally(() => underWay.delete(recorded))
      underWay.add(recorded)
      return recorded
    },
    async settle() {
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}
