import type { LabelChange } from '../schema/monitor/bulk.ts'
import type { EverySpec } from '../schema/monitor/every-spec.ts'
import type { EveryRow } from '../store/monitors/kinds/monitor-row.ts'
import { lockMonitor } from '../store/monitors/monitor-edit.ts'
import type { MonitorContext, OneMonitor } from './context.ts'
import { editMonitor, type EditOutcome } from './edit-monitor.ts'
import type { Kind } from './kinds/kind.ts'
import { NO_MONITOR } from './outcome.ts'

/** Adds labels to a monitor, and takes labels away by their keys. It is an edit: what a manifest owns is refused. */
export const labelMonitor = <Spec extends EverySpec, Row extends EveryRow>(
  context: MonitorContext,
  kind: Kind<Spec, Row>,
  { labels: { add = {}, remove = [] }, teamId, actor, id }: OneMonitor & { readonly labels: LabelChange },
): Promise<EditOutcome<Row>> =>
  context.store.transaction(async (tx): Promise<EditOutcome<Row>> => {
    const stored = await lockMonitor(tx, teamId, id, kind.table)
    if (!stored) return NO_MONITOR
    const kept = Object.entries(stored.labels ?? {}).filter(([key]) => !remove.includes(key))
    const patch = { labels: { ...Object.fromEntries(kept), ...add } } as Partial<Spec>
    return editMonitor({ ...context, store: tx }, kind, { teamId, actor, id, patch })
  })
