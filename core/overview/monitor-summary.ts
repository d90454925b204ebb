import { MAX_SHOWN_VALUE, MAX_SPARK } from '../../schema/overview/overview-limits.ts'
import type { Values } from '../../schema/shape/json.ts'
import { valueOf } from '../diff/diff-values.ts'
import { beginningOf, beginningsOf, cut } from '../text/beginning.ts'
import { plottedNumber } from '../text/movement-note.ts'
import { isHash, type RunChange } from './run-change.ts'

/** What lists show of a monitor. `baselines.summary` has it. Only the recorder writes it. */
export interface MonitorSummary {
  /** Null: there is nothing that says something to a reader. */
  readonly value: { readonly field: string; readonly text: string } | null
  /** Null: no run has found a difference. */
  readonly change: LastChange | null
  /** The last numbers of one field, the newest last. Null: no field is a number. */
  readonly spark: { readonly field: string; readonly points: readonly number[] } | null
}

/** The last change. */
interface LastChange {
  readonly run_id: string
  /** When the run ended. */
  readonly at: string
  /** Empty: only the picture changed. */
  readonly field: string
  readonly before: string | null
  readonly after: string | null
  readonly more: number
}

interface Plotted {
  readonly field: string
  /** Null: it has none now, and the plot stays. */
  readonly number: number | null
}

/** What a reading says, and what it changed. */
interface Read {
  readonly runId: string
  readonly endedMs: number
  readonly value: MonitorSummary['value']
  /** The field that is plotted, and its number now. Null: there is none. */
  readonly plotted: Plotted | null
  readonly change: RunChange | null
}

/** Returns the summary after a reading. */
export function nextSummary(last: MonitorSummary | null, read: Read): MonitorSummary {
  const { runId, endedMs, value, plotted, change } = read
  return {
    value,
    change: change === null ? (last?.change ?? null) : lastChange(change, runId, endedMs),
    spark: plotted && nextSpark(last?.spark ?? null, plotted),
  }
}

function lastChange({ fields: [first, ...others], more }: RunChange, runId: string, endedMs: number): LastChange {
  const at = new Date(endedMs).toISOString()
  if (first === undefined) return { run_id: runId, at, field: '', before: null, after: null, more: 0 }
  const { field, before, after } = first
  const [was, is] = before === null || after === null ? [before, after] : beginningsOf(before, after, MAX_SHOWN_VALUE)
  return { run_id: runId, at, field, before: was, after: is, more: others.length + more }
}

function nextSpark(last: MonitorSummary['spark'], { field, number }: Plotted): MonitorSummary['spark'] {
  const points = last?.field === field ? last.points : []
  if (number === null || points.at(-1) === number) return last
  return { field, points: [...points.slice(1 - MAX_SPARK), number] }
}

/** Returns the first field of a reading, as lists show it. */
export function shownValue(values: Values, [name]: readonly string[]): MonitorSummary['value'] {
  if (name === undefined || isHash(name)) return null
  return { field: cut(name, 100), text: beginningOf(valueOf(values, name), MAX_SHOWN_VALUE) }
}

/** Returns the field that is plotted already, or the first one that is a number. */
export function plottedField(values: Values, order: readonly string[], last: MonitorSummary | null): Plotted | null {
  const known = last?.spark?.field
  if (known !== undefined && order.includes(known)) return { field: known, number: numberOf(values, known) }
  const field = order.find((name) => numberOf(values, name) !== null)
  return field === undefined ? null : { field, number: numberOf(values, field) }
}

const numberOf = (values: Values, name: string) => plottedNumber(valueOf(values, name))
