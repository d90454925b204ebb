import {
  API_VERSION,
  type DeliveryPayload,
  LIST_CHANGE_LIMITS,
  type ListChange,
  type TextChange,
  type VisualBlock,
} from '../schema/run/delivery.ts'
import type { Diff } from '../schema/run/run.ts'
import type { Json, Values } from '../schema/shape/json.ts'
import { diffIfLists } from './diff/diff-lists.ts'
import { valueOf } from './diff/diff-values.ts'
import { listBefore } from './predicate/list-changes.ts'

/** The content of a delivery. */
export interface PayloadInput {
  /** The delivery's id. */
  readonly id: string
  readonly monitorId: string
  readonly runId: string
  /** When the predicate fired, in milliseconds since the epoch. */
  readonly firedAtMs: number
  /** Null: no field differs, as when only the picture did. */
  readonly diff: Diff | null
  readonly monitor: { readonly url: string; readonly name: string }
  /** From `listChanges`. Null or absent: no list changed. */
  readonly lists?: DeliveryPayload['lists'] | null
  /**
   * The changed fields that the predicate reads as numbers, for messages to people, which write such a change in
   * percent. Not for a webhook.
   */
  readonly numericFields?: readonly string[]
  /** Present when a whole page changed whose readable text is known. */
  readonly text?: TextChange
  /** Present when the visual comparison fired. */
  readonly visual?: VisualBlock
  /** From `decideRank` and `decideAnalysis`; the monitor's url is then the address of the search at its engine. */
  readonly serp?: DeliveryPayload['serp']
  readonly serp_analysis?: DeliveryPayload['serp_analysis']
  /** It is sent to try a destination. */
  readonly test?: true | undefined
}

/**
 * Returns the payload of a delivery. Keys are in the order of the schema, so that the text is the same on every
 * attempt and replay. The diff contains the changed fields only.
 */
export function deliveryPayload(input: PayloadInput): DeliveryPayload {
  const { id, monitorId, runId, firedAtMs, diff, monitor, lists, text, numericFields = [], visual } = input
  const { serp, serp_analysis } = input
  return {
    id,
    version: API_VERSION,
    monitor_id: monitorId,
    run_id: runId,
    fired_at: new Date(firedAtMs).toISOString(),
    diff: diff
      ? { fields_changed: diff.fields_changed, before: diff.before, after: diff.after }
      : { fields_changed: [], before: {}, after: {} },
    monitor: { url: monitor.url, name: monitor.name },
    ...(lists && { lists }),
    ...(text && {
      text: { lines_added: text.lines_added, lines_removed: text.lines_removed, excerpt: text.excerpt },
    }),
    ...(serp && { serp }),
    ...(serp_analysis && { serp_analysis }),
    ...(numericFields.length > 0 && { numeric_fields: numericFields }),
    ...(visual && { visual: { change_pct: visual.change_pct, threshold_pct: visual.threshold_pct } }),
    ...(input.test && { test: true }),
  }
}

/**
 * Returns how the lists of a difference differ, by field; null when no changed field is a list before and after.
 * `known`: the items of lists that were empty only in the last readings. As in predicates, they count as before.
 */
export function listChanges(
  { fields_changed, before, after }: Diff,
  known: Values | null = null,
): Readonly<Record<string, ListChange>> | null {
  const changes = fields_changed.flatMap((field): [string, ListChange][] => {
    const found = diffIfLists(listBefore(field, before as Values, known), valueOf(after as Values, field))
    if (!found) return []
    const { added, removed, moved } = found
    const named = { added: firstOf(added), removed: firstOf(removed), moved: firstOf(moved) }
    const counts = { added_count: added.length, removed_count: removed.length, moved_count: moved.length }
    return [[field, { ...named, ...counts }]]
  })
  return changes.length === 0 ? null : Object.fromEntries(changes)
}

function firstOf(items: readonly Json[]): Json[] {
  const named: Json[] = []
  let room: number = LIST_CHANGE_LIMITS.bytes
  for (const item of items) {
    room -= Buffer.byteLength(JSON.stringify(item)) + 1
    if (room < 0 || named.length === LIST_CHANGE_LIMITS.items) break
    named.push(item)
  }
  return named
}
