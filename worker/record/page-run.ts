import { readingHash } from '../../core/diff/reading-hash.ts'
import { emptyFieldWarnings } from '../../core/empty-fields.ts'
import { nextSummary, plottedField, shownValue } from '../../core/overview/monitor-summary.ts'
import { pageChange } from '../../core/overview/run-change.ts'
import { lastNumbers } from '../../core/predicate/fires.ts'
import { type AskPattern, judge } from '../../core/predicate/judge.ts'
import { asksPageLines, pageLinesWarnings } from '../../core/predicate/page-lines.ts'
import { decidedWithout, undecidedFault } from '../../core/predicate/undecided.ts'
import { noticesAfter, type RunNotice } from '../../core/run-notices.ts'
import { READINGS_UNTIL_NOTICE } from '../../core/schedule.ts'
import { storable } from '../../core/storable.ts'
import type { Reading } from '../../runners/check/reading.ts'
import type { PageTask } from '../../runners/check/task.ts'
import type { DiffPredicate } from '../../schema/monitor/diff-predicate.ts'
import { fieldNames } from '../../schema/monitor/extract-config.ts'
import type { RunFault } from '../../schema/run/run-fault.ts'
import type { Diff } from '../../schema/run/run.ts'
import type { Values } from '../../schema/shape/json.ts'
import type { Noticed } from '../../store/deliveries/run-events.ts'
import type { Baseline } from '../../store/queue/baselines.ts'
import { type FailedRun, recordFailed } from '../../store/queue/record-failed.ts'
import { type PicturedRun, recordPictured } from '../../store/queue/record-pictured.ts'
import { recordReadings } from '../../store/queue/record-reading.ts'
import { recordUnchanged, type UnchangedRun } from '../../store/queue/record-unchanged.ts'
import { packPageText, type PageText } from '../../store/runs/page-texts.ts'
import { createLookups, type Lookup } from './baseline-lookups.ts'
import { byLayer, layersThatRead } from './by-layer.ts'
import { createComparedTexts } from './compared-texts.ts'
import { emptied, vanished } from './lost-fields.ts'
import { outboxOf, SealedError } from './outbox.ts'
import { NOT_OF_KIND, type Recording, type RecordingParts } from './recording.ts'
import {
  failureColumns,
  markColumns,
  type Recordable,
  runColumns,
  type RunEnd,
  sameColumns,
  UNMARKED,
} from './run-writers.ts'
import { seenFields } from './seen-fields.ts'
import { textChange } from './text-change.ts'
import { type Seen, visualResult } from './visual-result.ts'

/** Returns what compares and writes the end of the check of a page. */
export function createPageRecording(parts: RecordingParts): Recording<PageTask> {
  const { writers, onFault } = parts
  const failed = writers.writer<FailedRun & Noticed>((on, rows) => recordFailed(on, rows))
  const same = writers.writer<UnchangedRun & Noticed>(recordUnchanged)
  const readings = writers.writer<PicturedRun & Noticed>(
    // Pictures and seen items need a transaction and one more statement. A batch without them avoids both.
    (on, rows) => (rows.some(hasMore) ? recordPictured(on, rows) : recordReadings(on, rows)),
    { onWritten: writers.wakeDeliveries },
  )
  const lookups = createLookups(parts)

  return {
    async record({ finished, task, context }) {
      const { reading } = finished
      const notices = (hasFailed: boolean) => noticesAfter(context.health, hasFailed)
      const fail = async (fault: RunFault, retryAfterMs = 0): Promise<RunEnd> => {
        const isOurs = fault.code === 'internal'
        if (isOurs) onFault(task, fault)
        await failed.add({
          ...failureColumns(finished, fault, retryAfterMs),
          // It is not counted, so it causes no notice.
          notices: isOurs ? [] : notices(true),
        })
        return { outcome: 'failed', fired: false, code: fault.code }
      }
      const unchanged = async (read: Parameters<typeof sameColumns>[1]): Promise<RunEnd> => {
        await same.add({ ...sameColumns(finished, read), notices: notices(false) })
        return UNCHANGED
      }

      if (reading.kind === 'search' || reading.kind === 'look') return fail({ code: 'internal', message: NOT_OF_KIND })
      if (reading.kind === 'failed') return fail(reading.fault, reading.retryAfterMs)
      if (reading.kind === 'unchanged') return unchanged(reading)
      const values = storable(reading.values)
      const hash = readingHash(values)
      // What another layer read last may be a change of this one.
      const isOfLayer = (layersThatRead(reading) & ~context.readBy) === 0
      const isSame = isOfLayer && context.readingHash !== null && Buffer.compare(context.readingHash, hash) === 0
      // A reading with pictures must be compared by its pictures too.
      if (isSame && reading.warnings.length === 0 && !reading.shots) return unchanged(reading)

      // From here on the check is outside of any batch, so that a slow pattern delays no other check.
      const lookup: Lookup = { no: task.no, fence: task.fence }
      await lookups.add(lookup)
      // Without a baseline the fence is lost: another worker has the check now, or it was edited in the meantime.
      if (!lookup.found) return null
      const read: Read = {
        finished,
        task,
        reading: { ...reading, values },
        teamId: context.teamId,
        hash: Buffer.from(hash),
      }
      let row = await judged(read, lookup.found, parts)
      if ('code' in row && row.code === 'internal') row = await judged(read, lookup.found, parts)
      if ('code' in row) return fail(row)
      await readings.add({ ...row, notices: noticesOfReading(row.notices, notices(false)) })
      return endOf(row, lookup.found)
    },
  }
}

const hasMore = ({ pictures, is_first, seen }: PicturedRun) => pictures !== null || is_first || seen.length > 0

const UNCHANGED: RunEnd = { outcome: 'unchanged', fired: false }

function endOf({ diff, fired }: PicturedRun, baseline: Baseline): RunEnd {
  if (baseline.reading_id === null) return { outcome: 'first', fired }
  return { outcome: diff !== null || fired ? 'changed' : 'unchanged', fired }
}

/** A check that read values, to be compared with the baseline. */
interface Read {
  readonly finished: Recordable
  readonly task: PageTask
  readonly reading: Extract<Reading, { kind: 'values' }>
  readonly teamId: string
  readonly hash: Buffer
}

/**
 * Compares pictures and values and decides. Returns the row with its deliveries, or the fault that the run ends with.
 */
async function judged(read: Read, baseline: Baseline, options: RecordingParts): Promise<JudgedRun | RunFault> {
  const { task } = read
  const { shots, fetchMethod: layer } = read.reading
  const about = { task, teamId: read.teamId, layer, shots }
  const seen = await visualResult(about, baseline, options.pictures)
  if (seen.kind === 'failed') return seen.fault
  try {
    const { pageText } = read.reading
    const text = pageText === undefined ? null : await packPageText(pageText, baseline.text_key)
    return await readingRow({ ...read, baseline, seen, text }, options)
  } catch (error) {
    if (error instanceof SealedError) return { code: 'not_available', message: error.message }
    options.log.error({ err: error, run_id: task.runId }, 'a reading could not be judged; it is tried twice')
    return { code: 'internal', message: UNJUDGED }
  }
}

/** A row to write, and the notices that its values cause. */
interface JudgedRun extends PicturedRun {
  readonly notices: readonly RunNotice[]
}

/**
 * Once all fields together are reported, as trouble of the monitor, none is reported by itself. The first value ends
 * that, and the fields that are still missing are reported then.
 */
function noticesOfFields(
  { notice, empty }: ReturnType<typeof emptied>,
  { newly, missing }: ReturnType<typeof vanished>,
): RunNotice[] {
  const ofMonitor: RunNotice[] = notice ? [{ kind: notice, fields: null }] : []
  const stillMissing = Object.entries(missing ?? {}).flatMap(([name, count]) =>
    count === READINGS_UNTIL_NOTICE ? [name] : [],
  )
  const fields = notice === 'recovered' ? stillMissing : newly
  return fields.length > 0 && empty !== READINGS_UNTIL_NOTICE
    ? [...ofMonitor, { kind: 'field_missing', fields }]
    : ofMonitor
}

/** A monitor that can be fetched again and finds nothing has not recovered. */
function noticesOfReading(ofValues: readonly RunNotice[], ofOutcome: readonly RunNotice[]): readonly RunNotice[] {
  const isHealth = ({ fields }: RunNotice) => fields === null
  return ofValues.some(isHealth) ? ofValues : [...ofValues, ...ofOutcome]
}

interface Compared extends Read {
  readonly baseline: Baseline
  readonly seen: Seen
  /** The readable text of a whole page; null: there is none. */
  readonly text: PageText | null
}

/**
 * Returns a fault if the result cannot be decided, so that the baseline stays and the next run finds the change again.
 * Throws SealedError if the destinations cannot be opened.
 */
async function readingRow(compared: Compared, options: RecordingParts): Promise<JudgedRun | RunFault> {
  const { finished, task, reading, teamId, hash, baseline, seen, text } = compared
  const before = baseline.reading_id === null ? null : (baseline.extracted as Values)
  const order = fieldNames(task.extract)
  const texts = createComparedTexts({ store: options.store, teamId, pageText: reading.pageText, baseline })
  const layers = await byLayer({ task, reading, before, after: reading.values, baseline, texts: texts.both })
  const predicate = baseline.diff_predicate as DiffPredicate
  const comparing = { before: layers.before, after: layers.after, lists: baseline.lists, predicate }
  const shown = await seenFields(options.store, { ...comparing, no: task.no, teamId, atMs: finished.endedMs })
  const page = asksPageLines(predicate, task.extract) ? await texts.ofPage() : undefined
  const ask: AskPattern = (question) => options.patterns.matches(question, { key: teamId })
  const { diff, fired, undecided } = await judge({ ...comparing, order, unseen: shown.unseen, page }, ask)
  // If the pictures fire, the whole difference is sent.
  if (fired === 'unknown' && !seen.fired) return undecidedFault(undecided)
  const hasFired = fired === true || seen.fired !== undefined
  const { missing, lists } = baseline
  const follows = { before, after: reading.values, names: order, cleaned: reading.emptied }
  const gone = vanished({ ...follows, missing, lists })
  const nothing = emptied({ ...follows, empty: baseline.empty })
  const isOpen = gone.isOpen || nothing.isOpen
  const ofFirst = before === null ? unmatched(task, reading) : []
  const found = [...layers.warnings, ...gone.warnings, ...ofFirst, ...nothing.warnings]
  const warnings = [
    ...reading.warnings,
    ...seen.warnings,
    ...shown.warnings,
    ...(page && diff ? pageLinesWarnings(page) : []),
    ...undecided.map(decidedWithout),
    ...found,
  ]
  const fire = { runId: task.runId, teamId, firedAtMs: finished.endedMs, baseline, diff, visual: seen.fired }
  return {
    ...runColumns(finished),
    // While a count of missing or empty fields is open, nothing is stored by which the next check could see its page as
    // unchanged.
    ...markColumns(isOpen ? UNMARKED : reading.mark),
    reading_hash: isOpen ? null : hash,
    extracted: JSON.stringify(reading.values),
    missing: jsonOf(gone.missing),
    lists: keptValues(predicate, { before, after: reading.values, lists }, gone.lists),
    empty: nothing.empty,
    read_by: layers.read_by,
    layers: jsonOf(layers.layers),
    notices: noticesOfFields(nothing, gone),
    diff: jsonOf(diff),
    ...shownInLists(compared, diff),
    warnings: jsonOf(warnings.length > 0 ? warnings.slice(0, 50) : null),
    fired: hasFired,
    deliveries: hasFired ? await deliveriesOf(fire, reading, options) : [],
    text,
    team_id: teamId,
    pictures: seen.pictures,
    seen: shown.kept,
    is_first: reading.shots !== undefined && baseline.reading_id === null,
  }
}

/** Returns what lists show of the run and of its monitor, as JSON text. */
function shownInLists({ task, finished, reading: { values }, baseline, seen }: Compared, diff: Diff | null) {
  const order = fieldNames(task.extract)
  const change = pageChange(diff, seen.fired !== undefined)
  const summary = nextSummary(baseline.summary, {
    runId: task.runId,
    endedMs: finished.endedMs,
    value: shownValue(values, order),
    plotted: plottedField(values, order, baseline.summary),
    change,
  })
  return { change: jsonOf(change), summary: JSON.stringify(summary) }
}

/** Returns the lists and the numbers that this reading lacks, as JSON text. Null: there are none. */
function keptValues(
  predicate: DiffPredicate,
  { before, after, lists }: Pick<Baseline, 'lists'> & { readonly before: Values | null; readonly after: Values },
  gone: Values | null,
): string | null {
  const numbers = before && lastNumbers(predicate, { before, after, lists })
  return jsonOf(numbers || gone ? { ...numbers, ...gone } : null)
}

const jsonOf = (value: object | null) => value && JSON.stringify(value)

/** Warns in a first run, whose rules may never have matched. */
const unmatched = (
  { extract: config }: PageTask,
  { values, emptied: cleaned, scripts }: Read['reading'],
): readonly string[] => emptyFieldWarnings({ values, emptied: cleaned, config, isScripted: scripts === 'many' })

/** The message about a whole page shows what changed of its text. */
async function deliveriesOf(
  fire: Omit<Parameters<typeof outboxOf>[0], 'text' | 'values'>,
  { pageText, values }: Read['reading'],
  options: RecordingParts,
): Promise<ReturnType<typeof outboxOf>> {
  const text = pageText === undefined ? undefined : await textChange(fire, pageText, options)
  return outboxOf({ ...fire, text, values }, options.secrets)
}

const UNJUDGED = 'The reading could not be compared with the last one; the log has the details under the run id.'
