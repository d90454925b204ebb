import { MAX_CHANGE_FIELDS, MAX_CHANGE_VALUE } from '../../schema/overview/overview-limits.ts'
import type { Diff } from '../../schema/run/run.ts'
import type { Values } from '../../schema/shape/json.ts'
import { valueOf } from '../diff/diff-values.ts'
import { beginningsOf, cut } from '../text/beginning.ts'
import { percentMoved } from '../text/movement-note.ts'

/** A field that changed, as lists show it. */
export interface ChangedField {
  readonly field: string
  /** A field that was not there has the value `nothing`. Null: its values say nothing to a reader. */
  readonly before: string | null
  readonly after: string | null
  readonly percent: number | null
}

/** What lists show of the difference that a run found. `runs.change` has it. */
export interface RunChange {
  /** The first ones. None: only the picture changed. */
  readonly fields: readonly ChangedField[]
  /** How many fields changed beside these. */
  readonly more: number
}

const PICTURE: RunChange = { fields: [], more: 0 }

/** Returns what lists show of a difference of fields, or of a picture alone. Null: nothing differs. */
export function pageChange(diff: Diff | null, hasPictureChanged: boolean): RunChange | null {
  if (diff === null) return hasPictureChanged ? PICTURE : null
  const shown = diff.fields_changed.slice(0, MAX_CHANGE_FIELDS)
  return { fields: shown.map((name) => fieldOf(name, diff)), more: diff.fields_changed.length - shown.length }
}

function fieldOf(name: string, { before, after }: Diff): ChangedField {
  const [old, now] = [valueOf(before as Values, name), valueOf(after as Values, name)]
  const field = cut(name, 100)
  if (isHash(name)) return { field, before: null, after: null, percent: null }
  const [was, is] = beginningsOf(old, now, MAX_CHANGE_VALUE)
  return { field, before: was, after: is, percent: percentMoved(old, now) }
}

/** The hash of a whole page shows that something changed. Its digits mean nothing to a reader. */
export const isHash = (name: string): boolean => name === 'content_hash'
