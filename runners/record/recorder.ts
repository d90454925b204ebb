import { readingHash } from '../../core/diff/reading-hash.ts'
import type { Logger } from '../../core/logger.ts'
import { runIdTime } from '../../core/run-id.ts'
import type { DiffPredicate } from '../../schema/diff-predicate.ts'
import { fieldNames } from '../../schema/extract-config.ts'
import type { Values } from '../../schema/json.ts'
import type { RunFault } from '../../schema/run-fault.ts'
import type { Diff } from '../../schema/run.ts'
import { type Baseline, readBaselines } from '../../store/baselines.ts'
import type { Store } from '../../store/client.ts'
import { type FailedRun, recordFailed } from '../../store/record-failed.ts'
import { type ReadingRun, recordReadings } from '../../store/record-reading.ts'
import { recordUnchanged, type UnchangedRun } from '../../store/record-unchanged.ts'
import { ensurePartitionsOf } from '../../store/run-partitions.ts'
import type { SecretBox } from '../../store/secret-box.ts'
import type { Reading } from '../check/reading.ts'
import type { Finished } from '../lane/lane.ts'
import type { PatternMatcher } from '../pattern/pattern-matcher.ts'
import { type Batcher, createBatcher } from './batcher.ts'
import { type Case, judge } from './judge.ts'
import { type Fired, outboxOf, SealedError } from './outbox.ts'
import { storable } from './storable.ts'
import { vanished } from './vanished.ts'
import { whileAway } from './while-away.ts'
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

/** A baseline that is asked for in company. */
interface Lookup {
  readonly no: number
  readonly fence: number
  found?: Baseline | undefined
}

/** Nothing that lets the next check take its page for unchanged. */
const UNMARKED = { etag: null, last_modified: null, body_hash: null, reading_hash: null } as const

const UNJUDGED = 'The reading could not be compared with the last one; the log has the details under the run id.'

/** A batch waits at most this long (DESIGN §3 allows 50 ms). */
const WAIT_MS = 20

export function createRecorder(options: RecorderOptions): Recorder {
  const { store, secrets, log, patienceMs } = options
  const underWay = new Set<Promise<void>>()
  const batches = <T extends { no: number; fence: number; run_id: string }>(
    write: (rows: readonly T[]) => Promise<unknown>,
  ): Batcher<T> =>
    createBatcher<T>({
      maxItems: 1000,
      maxWaitMs: WAIT_MS,
      parallel: 2,
      flush: (rows) => writeAll(rows, { write, makeRoom, giveUp, log, patienceMs }),
    })

  const failed = batches<FailedRun>((rows) => recordFailed(store, rows))
  const unchanged = batches<UnchangedRun>((rows) => recordUnchanged(store, rows))
  const readings = batches<ReadingRun>(async (rows) => {
    await recordReadings(store, rows)
    if (rows.some((row) => row.deliveries.length > 0)) options.onDeliveries()
  })
  const lookups = createBatcher<Lookup>({ maxItems: 500, maxWaitMs: WAIT_MS, parallel: 4, flush: lookUp })
  const makeRoom = (rows: readonly { run_id: string }[]) =>
    ensurePartitionsOf(
      store,
      rows.map((row) => row.run_id),
    )

  /** A row that cannot be written even alone becomes an error run, so that its monitor does not try the same for ever. */
  async function giveUp({ no, fence, run_id }: Lookup & { readonly run_id: string }): Promise<void> {
    const message = 'The outcome could not be stored; the log has the details under the run id.'
    const nothing = { start_offset_ms: 0, duration_ms: 0, fetch_method: null, retry_after_ms: 0 }
    await recordFailed(store, [{ no, fence, run_id, ...nothing, error_code: 'internal', error_message: message }])
  }

  async function lookUp(items: readonly Lookup[]): Promise<void> {
    const baselines = await whileAway(() => readBaselines(store, items), { log, patienceMs })
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
    let row: ReadingRun
    try {
      row = await rowOf(item, baseline)
    } catch (error) {
      const { runId } = item.finished.task
      log.error({ err: error, run_id: runId }, 'a reading could not be judged; it is recorded as a failure')
      const message = error instanceof SealedError ? error.message : UNJUDGED
      return failed.add(failedRow(item.finished, { code: 'internal', message }, 0))
    }
    return readings.add(row)
  }

  async function rowOf(item: Read, baseline: Baseline): Promise<ReadingRun> {
    const held = caseOf(item, baseline)
    const verdict = await judge(held, options.patterns)
    const gone = vanished({ ...held, names: held.order, missing: baseline.missing })
    const warnings = [...item.reading.warnings, ...verdict.warnings, ...gone.warnings]
    return {
      ...common(item.finished),
      ...(gone.isOpen ? UNMARKED : { ...markOf(item.reading), reading_hash: item.hash }),
      extracted: JSON.stringify(item.reading.values),
      missing: gone.missing && JSON.stringify(gone.missing),
      diff: verdict.diff && JSON.stringify(verdict.diff),
      warnings: warnings.length > 0 ? JSON.stringify(warnings.slice(0, 50)) : null,
      deliveries: verdict.fired && verdict.diff ? outboxOf(firedBy(item, baseline, verdict.diff), secrets) : [],
    }
  }

  async function route(finished: Finished, context: RecordContext): Promise<void> {
    const { reading } = finished
    if (reading.kind === 'failed') return failed.add(failedRow(finished, reading.fault, reading.retryAfterMs))
    if (reading.kind === 'unchanged') return unchanged.add({ ...common(finished), ...markOf(reading) })
    const values = storable(reading.values)
    const hash = readingHash(values)
    const isSame = context.readingHash !== null && Buffer.compare(context.readingHash, hash) === 0
    if (isSame && reading.warnings.length === 0) return unchanged.add({ ...common(finished), ...markOf(reading) })
    return compare({ finished, reading: { ...reading, values }, teamId: context.teamId, hash: Buffer.from(hash) })
  }

  async function record(finished: Finished, context: RecordContext): Promise<void> {
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

function caseOf({ finished, reading }: Read, baseline: Baseline): Case {
  return {
    before: baseline.reading_id === null ? null : (baseline.extracted as Values),
    after: reading.values,
    order: fieldNames(finished.task.extract),
    predicate: baseline.diff_predicate as DiffPredicate,
  }
}

function firedBy({ finished, teamId }: Read, baseline: Baseline, diff: Diff): Fired {
  return { runId: finished.task.runId, teamId, firedAtMs: finished.endedMs, diff, baseline }
}

function failedRow(finished: Finished, fault: RunFault, retryAfterMs: number): FailedRun {
  // A failure may come from no layer at all.
  const fetchMethod = finished.reading.fetchMethod
  const error = { error_code: fault.code, error_message: fault.message, retry_after_ms: retryAfterMs }
  return { ...common(finished), fetch_method: fetchMethod, ...error }
}

/** A run that waited for its worker longer than an int4 of milliseconds holds (24 days) is told with that. */
const LONGEST_MS = 2 ** 31 - 1
const span = (from: number, to: number) => Math.min(LONGEST_MS, Math.max(0, to - from))

function common({ task, reading, startedMs, endedMs }: Finished) {
  return {
    no: task.no,
    fence: task.fence,
    run_id: task.runId,
    start_offset_ms: span(runIdTime(task.runId), startedMs),
    duration_ms: span(startedMs, endedMs),
    fetch_method: reading.fetchMethod ?? 'static',
  }
}

function markOf({ mark }: { mark: ValuesReading['mark'] }) {
  return { etag: mark.etag, last_modified: mark.lastModified, body_hash: mark.bodyHash && Buffer.from(mark.bodyHash) }
}
