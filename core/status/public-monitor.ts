import { CHANGED_MS, OVERDUE, type PublicState } from '../../schema/status/public-state.ts'
import type { MonitorSummary } from '../overview/monitor-summary.ts'
import { isHash, type RunChange } from '../overview/run-change.ts'

/** What is known of a monitor that a status page shows. */
interface MonitorFacts {
  /** The public name. */
  readonly name: string
  readonly show_value: boolean
  readonly is_paused: boolean
  readonly is_failing: boolean
  readonly is_checked: boolean
  /** When the last check ended. */
  readonly last_run_at: string | null
  /** When its check is due. Null: it is not scheduled. */
  readonly due_at: string | null
  /** Seconds between two checks. */
  readonly interval_seconds: number
  /** It was read since the last edit that changed what its values mean: the summary may be from before. */
  readonly has_reading: boolean
  readonly summary: Pick<MonitorSummary, 'value' | 'change'> | null
  /** The last change is inside of the plan's window. */
  readonly is_change_shown: boolean
  /** Values of changes are shown from this id of a run on. Earlier ones nobody chose to show. */
  readonly values_floor: string
}

/** What everybody sees of a monitor. */
export interface PublicMonitor {
  readonly name: string
  readonly state: PublicState
  /** Null: it is not shown, or there is none. */
  readonly value: { readonly field: string; readonly text: string } | null
  /** Null: nothing has changed that may be shown. */
  readonly change: { readonly atMs: number; readonly words: string } | null
  /** When it was last checked. Null: never. */
  readonly checkedMs: number | null
}

/** Returns what everybody sees of a monitor. `nowMs`: milliseconds since the epoch. */
export function publicMonitor(facts: MonitorFacts, nowMs: number): PublicMonitor {
  const { summary, show_value: showsValue } = facts
  const last = facts.is_change_shown ? (summary?.change ?? null) : null
  const areShown = showsValue && last !== null && last.run_id >= facts.values_floor
  const change = last && { atMs: Date.parse(last.at), words: areShown ? changeWords(last) : 'Changed' }
  return {
    name: seen(facts.name),
    state: stateOf(facts, nowMs, change !== null && nowMs - change.atMs < CHANGED_MS),
    value: showsValue && facts.has_reading ? shownValue(summary) : null,
    change,
    checkedMs: facts.last_run_at === null ? null : Date.parse(facts.last_run_at),
  }
}

function shownValue(summary: MonitorFacts['summary']): PublicMonitor['value'] {
  return summary?.value ? { field: seen(summary.value.field), text: seen(summary.value.text) } : null
}

function stateOf(facts: MonitorFacts, nowMs: number, hasChanged: boolean): PublicState {
  const { is_paused, is_failing, is_checked } = facts
  if (is_paused) return 'paused'
  if (!is_checked) return 'waiting'
  if (is_failing) return 'not_readable'
  if (isOverdue(facts, nowMs)) return 'overdue'
  return hasChanged ? 'changed' : 'up_to_date'
}

/**
 * Checks of a team without runs stop, and so do all of an installation without workers: what is known is old then. A
 * check that was resumed or got a shorter interval is due about now, and says more when it has ended.
 */
function isOverdue(
  { last_run_at: last, due_at: due, interval_seconds: seconds }: MonitorFacts,
  nowMs: number,
): boolean {
  const intervalMs = seconds * 1_000
  if (last === null || nowMs - Date.parse(last) < OVERDUE.intervals * intervalMs + OVERDUE.ms) return false
  const inMs = due === null ? Infinity : Date.parse(due) - nowMs
  return inMs <= -OVERDUE.ms || inMs > intervalMs
}

/** A field that changed, and how many changed beside it. */
interface FirstChange {
  /** Empty: only the picture changed. */
  readonly field: string
  /** Null: the values say nothing to a reader. */
  readonly before: string | null
  readonly after: string | null
  readonly more: number
}

/** Returns a change in words, with its values. */
function changeWords({ field, before, after, more }: FirstChange): string {
  if (field === '') return 'The picture changed'
  const others = more === 0 ? '' : `, and ${more} more`
  if (before === null || after === null) return `${isHash(field) ? 'The text' : seen(field)} changed${others}`
  return `${seen(field)} changed from ${seen(before)} to ${seen(after)}${others}`
}

/** Returns the change of a run in words, with its values where they are shown. */
export function runChangeWords(change: RunChange | null, showsValue: boolean): string {
  if (change === null || !showsValue) return 'Changed'
  const [first, ...others] = change.fields
  if (first === undefined) return changeWords({ field: '', before: null, after: null, more: 0 })
  return changeWords({ ...first, more: others.length + change.more })
}

/** Control characters, marks that turn the direction of text, and what is not a character. Joiners of letters stay. */
const UNSEEN = /[\p{Cc}\p{Co}\p{Cs}\u2028\u2029]|(?![\u200c\u200d])\p{Cf}/gu

/** Returns a text that somebody else wrote without what is not seen. Lines are joined. */
export const seen = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll(UNSEEN, '').trim()
