import type { Whose } from '../../concurrency/threads/thread.ts'
import { diffValues, hasNoMatch, isEmptyValue, valueOf } from '../../core/diff/diff-values.ts'
import { deliveryPayload, listChanges } from '../../core/payload.ts'
import { collectPatterns } from '../../core/predicate/collect-patterns.ts'
import { fires, listBefore, type Truth, numericFields } from '../../core/predicate/fires.ts'
import { createPatternResults } from '../../core/predicate/pattern-results.ts'
import { READINGS_UNTIL_NOTICE } from '../../core/schedule.ts'
import type { Shot } from '../../runners/browser/page/shot.ts'
import type { Task } from '../../runners/check/task.ts'
import type { PatternAnswer, PatternMatcher } from '../../runners/pattern/pattern-matcher.ts'
import type { NoticeKind, DeliveryConfig } from '../../schema/monitor/delivery-config.ts'
import type { DiffPredicate } from '../../schema/monitor/diff-predicate.ts'
import type { VisualConfig } from '../../schema/monitor/visual-config.ts'
import type { TextChange, VisualBlock } from '../../schema/run/delivery.ts'
import type { RunFault } from '../../schema/run/run-fault.ts'
import type { Diff, FetchMethod } from '../../schema/run/run.ts'
import type { Json, Values } from '../../schema/shape/json.ts'
import { type DeliveryRow, newDelivery } from '../../store/deliveries/delivery-row.ts'
import type { Baseline } from '../../store/queue/baselines.ts'
import type { PictureSet, RunPictures, VisualBaseline } from '../../store/queue/record-pictured.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import type { Pictures } from '../pictures/pictures.ts'

/** The result of comparing a reading with the baseline. */
interface Verdict {
  /** Null: there was no baseline, or nothing differs. */
  readonly diff: Diff | null
  /** Unknown: it depends on a pattern of which nothing is known. */
  readonly fired: Truth
  readonly undecided: readonly Undecided[]
}

/** A pattern of which it is not known whether it matches, and why. */
export interface Undecided {
  readonly pattern: string
  readonly why: Exclude<PatternAnswer, boolean>
}

/** What is compared, and the predicate that decides. */
interface Case {
  /** Null: this reading becomes the baseline, and nothing is sent. */
  readonly before: Values | null
  readonly after: Values
  /** The lists and numbers that only the last readings lacked (`vanished`, `lastNumbers`). Null: there are none. */
  readonly lists?: Values | null
  /** The order in which differences are listed: that of extract_config. */
  readonly order: readonly string[]
  readonly predicate: DiffPredicate
}

/** Each pattern has its own time limit. After this many without an answer a check tries no further patterns. */
const MAX_UNDECIDED = 3

/**
 * Compares, then decides. Patterns are tried first, in a thread that can be killed, and only if the other conditions
 * leave the result open. If a pattern takes too long or is not tried, it is unknown whether it matches. It is never
 * treated as false, because a change would be lost. `key` is the team: patterns of teams take turns.
 */
export async function judge(
  { before, after, lists = null, order, predicate }: Case,
  patterns: Pick<PatternMatcher, 'matches'>,
  whose: Whose,
): Promise<Verdict> {
  const diff = before === null ? null : diffValues(before, after, order)
  if (before === null || diff === null) return { diff: null, fired: false, undecided: [] }
  const tried = createPatternResults()
  const undecided: Undecided[] = []
  const judged = { diff, before, after, lists }
  const outcome = () => fires(predicate, judged, tried.matches)
  const withoutPatterns = outcome()
  if (withoutPatterns !== 'unknown') return { diff, fired: withoutPatterns, undecided }
  for (const question of collectPatterns(predicate, after)) {
    const result = await patterns.matches(question, whose)
    if (typeof result === 'boolean') tried.add(question, result)
    else if (undecided.push({ pattern: question.pattern, why: result }) === MAX_UNDECIDED) break
  }
  return { diff, fired: outcome(), undecided }
}

/** What the visual layer adds to a run. */
export interface Seen {
  readonly kind: 'seen'
  readonly pictures: RunPictures | null
  readonly warnings: readonly string[]
  /** Present if it fires. */
  readonly fired?: VisualBlock
}

interface Shown {
  readonly task: Task
  readonly teamId: string
  /** The layer that drew the page. */
  readonly layer: FetchMethod
  readonly shots: readonly Shot[] | undefined
}

type VisualResult = Seen | { readonly kind: 'failed'; readonly fault: RunFault }

/** The default percentage of changed area at which deliveries fire. */
const THRESHOLD_PCT = 1

/** Compares and stores the screenshots of a check, if it took any. */
export async function visualResult(
  { task: { no, runId }, teamId, layer, shots }: Shown,
  { pictures: last, visual_config: config }: Baseline,
  pictures: Pictures | undefined,
): Promise<VisualResult> {
  if (!shots) return { kind: 'seen', warnings: [], pictures: null }
  if (!pictures) return { kind: 'failed', fault: NO_STORE }
  const own = last?.other?.layer === layer ? last.other : last
  const captured = await pictures.take({ teamId, no, runId, shots, baseline: own })
  if (captured.kind === 'failed') return captured
  if (captured.kind === 'skipped') return { kind: 'seen', warnings: captured.warnings, pictures: null }
  const { fired, other, warnings } = byDrawer(last, layer, firedBy(captured.pictures, config))
  return {
    kind: 'seen',
    warnings: [...captured.warnings, ...warnings],
    pictures: { ...captured.pictures, baseline: { ...captured.pictures.baseline, layer, other } },
    ...(fired && { fired }),
  }
}

/**
 * Returns what fires, and the pictures of the other layer that are kept. A change of the layer by itself never fires: a
 * site may show another page to the address of the proxy, in another language or with a notice in front. Such a
 * difference cannot be told from a change. So the first pictures of a layer that differ from those of the layer before
 * only warn, and those before are kept. Where that layer draws the page again, its pictures are compared with its own.
 * What fires is known, so nothing is kept then.
 */
function byDrawer(last: VisualBaseline | null, layer: FetchMethod, differs: VisualBlock | null) {
  const nothing = { fired: null, other: null, warnings: [] }
  if (last === null) return nothing
  const { other, ...before } = last
  if (last.layer === layer || other !== null)
    return differs ? { ...nothing, fired: differs } : { ...nothing, other: last.layer === layer ? other : before }
  return differs ? { fired: null, other: before, warnings: [otherPage(last.layer, layer)] } : nothing
}

const otherPage = (before: FetchMethod, now: FetchMethod) =>
  `The page was drawn by another layer (${now}) than before (${before}), and looks otherwise. Nothing is sent for ` +
  'that; the next pictures are compared with those of the same layer.'

const NO_STORE: RunFault = {
  code: 'not_available',
  message: 'Screenshots need an object store, which this process does not have; disable visual_config.',
}

/** If nothing changed, nothing fires, even if the threshold is 0. */
function firedBy({ changePct, hasChanges }: RunPictures<PictureSet>, config: VisualConfig | null): VisualBlock | null {
  const threshold_pct = config?.thresholdPct ?? THRESHOLD_PCT
  return hasChanges && changePct >= threshold_pct ? { change_pct: changePct, threshold_pct } : null
}

/**
 * Fields that had a value and have none now, each with the number of readings in a row that lacked it. Stored with the
 * baseline.
 */
type Missing = Readonly<Record<string, number>>

/** What a reading shows about missing fields. */
interface Vanished {
  /** Null: no field is missing. */
  readonly missing: Missing | null
  /** One more reading may have to be reported, so the next check reads its page even if the page is identical. */
  readonly isOpen: boolean
  /** The fields that this reading is the third in a row to lack. */
  readonly newly: readonly string[]
  /**
   * The last items of each list that is missing for one or two readings. A feed is often empty for a moment, and its
   * old items are not news when it is full again. Null: there is none. Stored.
   */
  readonly lists: Values | null
  readonly warnings: readonly string[]
}

/** A reading and the state before it. */
interface Follows {
  /** Null: this reading is the first of its monitor, or the first since an edit, so there were no earlier values. */
  readonly before: Values | null
  readonly missing: Missing | null
  readonly lists: Values | null
  readonly after: Values
  readonly names: readonly string[]
}

const NONE: Vanished = { missing: null, isOpen: false, newly: [], lists: null, warnings: [] }

/**
 * Counts the readings that lack a field which had a value before. A failed run is not a reading: it neither counts nor
 * ends a count.
 *
 * The unchanged path (the same bytes, the same values) records no reading, and would hide the second and third reading.
 * So while a count is open, the recorder stores nothing by which a check could see that its page is unchanged. Two
 * checks are then read and stored in full. The third in a row that lacks the field warns. After that the path is as
 * cheap as before. Each later reading that is stored warns again. Runs that are unchanged point at a reading that
 * warned.
 */
export function vanished({ before, missing, lists, after, names }: Follows): Vanished {
  if (before === null) return NONE
  const counts: [string, number][] = []
  const newly: string[] = []
  const items: [string, Json][] = []
  for (const name of names) {
    if (!hasNoMatch(valueOf(after, name))) continue
    const known = Number(valueOf(missing ?? {}, name) ?? 0)
    const last = valueOf(before, name)
    if (known > 0 || !hasNoMatch(last)) counts.push([name, Math.min(known + 1, READINGS_UNTIL_NOTICE)])
    if (known + 1 === READINGS_UNTIL_NOTICE) newly.push(name)
    const list = hasNoMatch(last) ? listBefore(name, {}, lists) : last
    if (known + 1 < READINGS_UNTIL_NOTICE && Array.isArray(list)) items.push([name, list as Json])
  }
  if (counts.length === 0) return NONE
  const reported = counts.filter(([, count]) => count === READINGS_UNTIL_NOTICE)
  return {
    missing: Object.fromEntries(counts),
    isOpen: reported.length < counts.length,
    newly,
    lists: items.length > 0 ? Object.fromEntries(items) : null,
    warnings: reported.map(([name]) => warning(name)),
  }
}

const warning = (name: string) =>
  `The field ${JSON.stringify(name)} had a value and has been missing for three runs in a row. If the page was ` +
  `rebuilt, change the rule of this field.`

/** What a reading shows about a monitor whose fields are all empty. */
interface Emptied {
  /** How many readings in a row had only empty fields, up to three. Null: this one has a value. Stored. */
  readonly empty: number | null
  /** One more reading may have to be reported, as with `Vanished`. */
  readonly isOpen: boolean
  /** The notice that the reading causes. */
  readonly notice: Extract<NoticeKind, 'field_missing' | 'recovered'> | null
  readonly warnings: readonly string[]
}

/**
 * Counts the readings whose fields are all empty. Such a monitor notices nothing, so its owner gets a notice: after the
 * first reading at once, because the rules never matched, and else after the third in a row. A value ends it, which is
 * reported too. The count goes on after an edit, so that the reading after it can report that the monitor works.
 */
export function emptied({
  before,
  after,
  names,
  empty,
}: Omit<Follows, 'missing' | 'lists'> & Pick<Baseline, 'empty'>): Emptied {
  const wasReported = empty === READINGS_UNTIL_NOTICE
  const isEmpty = names.length > 0 && names.every((name) => isEmptyValue(valueOf(after, name)))
  if (!isEmpty) return { empty: null, isOpen: false, notice: wasReported ? 'recovered' : null, warnings: [] }
  const count = before === null || wasReported ? READINGS_UNTIL_NOTICE : (empty ?? 0) + 1
  const isReported = count === READINGS_UNTIL_NOTICE
  return {
    empty: count,
    isOpen: !isReported,
    notice: isReported && !wasReported ? 'field_missing' : null,
    warnings: isReported ? [ALL_EMPTY] : [],
  }
}

const ALL_EMPTY =
  'No field has a value, so this monitor cannot notice a change. Correct its rules; where scripts make the page, set ' +
  'fetch_mode to browser.'

/**
 * The destinations cannot be opened. The run reports it. The baseline stays as it is, so the run fires once they can be
 * opened.
 */
export class SealedError extends Error {
  override readonly name = 'SealedError'
}

/** A run that fired. */
interface Fired {
  readonly runId: string
  readonly teamId: string
  /** By the store's clock, in milliseconds since the epoch. */
  readonly firedAtMs: number
  /** Null: only the picture differs. */
  readonly diff: Diff | null
  /** Present if the visual layer fired. */
  readonly visual?: VisualBlock | undefined
  /** Present if a whole page changed whose readable text is known. */
  readonly text?: TextChange | undefined
  readonly baseline: Baseline
}

/** Returns the outbox rows of a run that fired: one for each destination. Throws SealedError. */
export function outboxOf(fired: Fired, secrets: SecretBox): DeliveryRow[] {
  const { teamId, baseline, firedAtMs } = fired
  const about = {
    monitorId: baseline.monitor_id,
    runId: fired.runId,
    firedAtMs,
    diff: fired.diff,
    lists: fired.diff && listChanges(fired.diff, baseline.lists),
    ...(fired.visual && { visual: fired.visual }),
    ...(fired.text && { text: fired.text }),
    monitor: { url: baseline.url, name: baseline.name },
  }
  const numeric = numericFields(baseline.diff_predicate as DiffPredicate)
  const forPeople = { ...about, numericFields: (fired.diff?.fields_changed ?? []).filter((name) => numeric.has(name)) }
  return destinationsOf(fired, secrets).map((config, place) => {
    const content = config.type === 'webhook' ? about : forPeople
    const payload = (id: string) => deliveryPayload({ id, ...content })
    return newDelivery({ secrets, teamId, config, at: firedAtMs, place, payload })
  })
}

/** What destinations are opened with. */
interface Destined {
  readonly teamId: string
  readonly baseline: Pick<Baseline, 'monitor_id' | 'deliveries'>
}

/** Returns the destinations of a monitor. Throws SealedError. */
export function destinationsOf({ teamId, baseline }: Destined, secrets: SecretBox): readonly DeliveryConfig[] {
  if (!baseline.deliveries) return []
  const place = { teamId, column: 'monitors.deliveries', rowId: baseline.monitor_id } as const
  try {
    return secrets.open(place, baseline.deliveries) as DeliveryConfig[]
  } catch (cause) {
    const text = 'The stored deliveries cannot be decrypted with the current encryption key; set deliveries again.'
    throw new SealedError(text, { cause })
  }
}
