import { readingHash } from '../../core/diff/reading-hash.ts'
import type { Logger } from '../../core/logger.ts'
import { deliveryPayload } from '../../core/payload.ts'
import { runIdTime } from '../../core/run-id.ts'
import type { DeliveryConfig } from '../../schema/delivery-config.ts'
import type { DiffPredicate } from '../../schema/diff-predicate.ts'
import { fieldNames } from '../../schema/extract-config.ts'
import type { Values } from '../../schema/json.ts'
import { type Baseline, readBaselines } from '../../store/baselines.ts'
import type { Store } from '../../store/client.ts'
import { type DeliveryRow, newDelivery } from '../../store/delivery-queue-row.ts'
import { type FailedRun, recordFailed } from '../../store/record-failed.ts'
import { type ReadingRun, recordReadings } from '../../store/record-reading.ts'
import { recordUnchanged, type UnchangedRun } from '../../store/record-unchanged.ts'
import type { SecretBox } from '../../store/secret-box.ts'
import type { Reading } from '../check/reading.ts'
import type { Finished } from '../lane/lane.ts'
import type { PatternMatcher } from '../pattern/pattern-matcher.ts'
import { type Batcher, createBatcher } from './batcher.ts'
import { type Case, judge, type Verdict } from './judge.ts'
import { writeAll } from './write-all.ts'

/** The trusted side of a check: compares, decides, and writes in groups. */
export interface Recorder {
  /** Resolves once the outcome is recorded, or void because the fence was lost. Never rejects: what cannot be written is logged, and its lease ends. */
  record(finished: Finished, context: RecordContext): Promise<void>
  settle(): Promise<void>
}

/** What the recorder knows of a check besides its outcome. */
export interface RecordContext {
  readonly teamId: string
  /** Hash of the baseline's reading; null when there is none. */
  readonly readingHash: Uint8Array | null
}

export interface RecorderOptions {
  readonly store: Store
  readonly secrets: SecretBox
  readonly patterns: PatternMatcher
  readonly log: Logger
  /** Called when a batch wrote deliveries: wakes the delivery loop of this process. */
  readonly onDeliveries: () => void
  /** How long a batch is tried while the store is away: no longer than its leases last. */
  readonly patienceMs: number
}

type ValuesReading = Extract<Reading, { kind: 'values' }>
interface Read {
  readonly finished: Finished
  readonly reading: ValuesReading
  readonly teamId: string
  readonly hash: Buffer
}

/** A batch waits at most this long (DESIGN §3 allows 50 ms). */
const WAIT_MS = 20

export function createRecorder(options: RecorderOptions): Recorder {
  const { store, log } = options
  const batches = <T extends { no: number; fence: number; run_id: string }>(
    write: (rows: readonly T[]) => Promise<unknown>,
  ): Batcher<T> =>
    createBatcher<T>({
      maxItems: 1000,
      maxWaitMs: WAIT_MS,
      parallel: 2,
      flush: (rows) => writeAll(rows, { write, giveUp, log, patienceMs: options.patienceMs }),
    })

  const failed = batches<FailedRun>((rows) => recordFailed(store, rows))
  const unchanged = batches<UnchangedRun>((rows) => recordUnchanged(store, rows))
  const readings = batches<ReadingRun>(async (rows) => {
    await recordReadings(store, rows)
    if (rows.some((row) => row.deliveries.length > 0)) options.onDeliveries()
  })
  const reads = createBatcher<Read>({ maxItems: 500, maxWaitMs: WAIT_MS, parallel: 4, flush: compareAll })

  /** A row that cannot be written even alone becomes an error run, so that its monitor does not try the same for ever. */
  async function giveUp(row: { no: number; fence: number; run_id: string }): Promise<void> {
    const message = 'The outcome could not be stored; the log has the details under the run id.'
    await recordFailed(store, [
      {
        no: row.no,
        fence: row.fence,
        run_id: row.run_id,
        start_offset_ms: 0,
        duration_ms: 0,
        fetch_method: null,
        error_code: 'internal',
        error_message: message,
        retry_after_ms: 0,
      },
    ])
  }

  async function compareAll(items: readonly Read[]): Promise<void> {
    const baselines = await readBaselines(
      store,
      items.map(({ finished: { task } }) => ({ no: task.no, fence: task.fence })),
    )
    await Promise.all(
      items.map(async (item) => {
        const baseline = baselines.get(item.finished.task.no)
        // Without one the fence is lost: somebody else has the check now, or it was edited meanwhile.
        if (baseline) await compare(item, baseline)
      }),
    )
  }

  async function compare(item: Read, baseline: Baseline): Promise<void> {
    const verdict = await judge(caseOf(item, baseline), options.patterns)
    const warnings = [...item.reading.warnings, ...verdict.warnings]
    await readings.add({
      ...common(item.finished),
      ...markOf(item.reading),
      reading_hash: item.hash,
      extracted: JSON.stringify(item.reading.values),
      diff: verdict.diff && JSON.stringify(verdict.diff),
      warnings: warnings.length > 0 ? JSON.stringify(warnings.slice(0, 50)) : null,
      deliveries: verdict.fired ? outbox(item, baseline, verdict) : [],
    })
  }

  function outbox({ finished, teamId }: Read, baseline: Baseline, { diff }: Verdict): DeliveryRow[] {
    if (!baseline.deliveries || !diff) return []
    const configs = options.secrets.open(
      { teamId, column: 'monitors.deliveries' },
      baseline.deliveries,
    ) as DeliveryConfig[]
    const about = {
      monitorId: baseline.monitor_id,
      runId: finished.task.runId,
      firedAtMs: finished.endedMs,
      diff,
      monitor: { url: baseline.url, name: baseline.name },
    }
    return configs.map((config) =>
      newDelivery({
        secrets: options.secrets,
        teamId,
        config,
        at: finished.endedMs,
        payload: (id) => deliveryPayload({ id, ...about }),
      }),
    )
  }

  async function route(finished: Finished, context: RecordContext): Promise<void> {
    const { reading } = finished
    if (reading.kind === 'failed') {
      const { code, message } = reading.fault
      return failed.add({
        ...common(finished),
        error_code: code,
        error_message: message,
        retry_after_ms: reading.retryAfterMs,
      })
    }
    if (reading.kind === 'unchanged') return unchanged.add({ ...common(finished), ...markOf(reading) })
    const hash = readingHash(reading.values)
    const isSame = context.readingHash !== null && Buffer.compare(context.readingHash, hash) === 0
    if (isSame && reading.warnings.length === 0) return unchanged.add({ ...common(finished), ...markOf(reading) })
    return reads.add({ finished, reading, teamId: context.teamId, hash: Buffer.from(hash) })
  }

  return {
    async record(finished, context) {
      try {
        await route(finished, context)
      } catch (error) {
        log.error(
          { err: error, run_id: finished.task.runId },
          'an outcome was not recorded; the check runs again when its lease ends',
        )
      }
    },
    async settle() {
      await reads.settle()
      await Promise.all([failed.settle(), unchanged.settle(), readings.settle()])
    },
  }
}

function caseOf({ finished, reading }: Read, baseline: Baseline): Case {
  return {
    before: baseline.reading_id === null ? null : (baseline.extracted as Values),
    after: reading.values,
    order: fieldNames(finished.task.extract),
    predicate: baseline.diff_predicate as DiffPredicate,
  }
}

function common({ task, reading, startedMs, endedMs }: Finished) {
  return {
    no: task.no,
    fence: task.fence,
    run_id: task.runId,
    start_offset_ms: Math.max(0, startedMs - runIdTime(task.runId)),
    duration_ms: Math.max(0, endedMs - startedMs),
    // Only a failure may come from no layer at all.
    fetch_method: reading.fetchMethod ?? 'static',
  }
}

function markOf({ mark }: { mark: ValuesReading['mark'] }) {
  return { etag: mark.etag, last_modified: mark.lastModified, body_hash: mark.bodyHash && Buffer.from(mark.bodyHash) }
}
