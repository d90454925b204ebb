import type { LabelChange } from '../schema/monitor/bulk.ts'
import type { EverySpec } from '../schema/monitor/every-spec.ts'
import type { Labels } from '../schema/monitor/labels.ts'
import type { EveryRow } from '../store/monitors/kinds/monitor-row.ts'
import { lockMonitor } from '../store/monitors/monitor-edit.ts'
import type { MonitorContext, OneMonitor } from './context.ts'
import { editMonitor, type EditOutcome } from './edit-monitor.ts'
import type { Kind } from './kinds/kind.ts'
import { NO_MONITOR } from './outcome.ts'

/**
 * Adds labels to a monitor, gives labels other keys, and takes labels away by their keys. It is an edit: what a
 * manifest owns is refused.
 */
export const labelMonitor = <Spec extends EverySpec, Row extends EveryRow>(
  context: MonitorContext,
  kind: Kind<Spec, Row>,
  { labels, teamId, actor, id }: OneMonitor & { readonly labels: LabelChange },
): Promise<EditOutcome<Row>> =>
  context.store.transaction(async (tx): Promise<EditOutcome<Row>> => {
    const stored = await lockMonitor(tx, teamId, id, kind.table)
    if (!stored) return NO_MONITOR
    const patch = { labels: changedLabels(stored.labels ?? {}, labels) } as Partial<Spec>
    return editMonitor({ ...context, store: tx }, kind, { teamId, actor, id, patch })
  })

/** Returns the labels after a change. A label that gets another key takes the place of one that has it. */
function changedLabels(labels: Labels, { add = {}, rename = {}, remove = [] }: LabelChange): Labels {
  const kept = Object.entries(labels).filter(([key]) => !remove.includes(key))
  const renamed = kept.flatMap(([key, value]) => {
    const name = Object.hasOwn(rename, key) ? rename[key] : undefined
    return name === undefined ? [] : [[name, value] as const]
  })
  const others = kept.filter(([key]) => !Object.hasOwn(rename, key))
  return { ...Object.fromEntries(others), ...Object.fromEntries(renamed), ...add }
}
