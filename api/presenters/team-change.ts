import type { RunChange } from '../../core/overview/run-change.ts'
import { runIdTime } from '../../core/run-id.ts'
import { cut } from '../../core/text/beginning.ts'
import type { Change } from '../../schema/overview/change.ts'
import { MAX_CHANGE_FIELDS } from '../../schema/overview/overview-limits.ts'
import type { MonitorKind } from '../../schema/resource-kind.ts'
import type { StoredTeamChange } from '../../store/overview/changes.ts'

/** Returns a change in the form of the API. */
export function teamChange(stored: StoredTeamChange): Change {
  const { id, pending, success, failed, dead } = stored
  const { fields, more } = stored.change ?? oldChange(stored.old_fields ?? [])
  return {
    run_id: id,
    at: new Date(runIdTime(id) + stored.start_offset_ms + stored.duration_ms).toISOString(),
    monitor: { id: stored.monitor_id, kind: stored.kind, name: stored.name },
    fields: [...fields],
    more,
    visual_change_pct: stored.visual_change_pct,
    fired: stored.delivery_triggered || stored.fired,
    deliveries: { pending, success, failed, dead },
    silence: pending + success + failed + dead > 0 ? null : silenceOf(stored),
    seen: stored.seen,
  }
}

/** Returns the change of a run that an earlier version recorded: its fields without values. */
const oldChange = (names: readonly string[]): RunChange => ({
  fields: names
    .slice(0, MAX_CHANGE_FIELDS)
    .map((name) => ({ field: cut(name, 100), before: null, after: null, percent: null })),
  more: Math.max(0, names.length - MAX_CHANGE_FIELDS),
})

/** Returns why nothing was sent, as far as the store knows it. */
function silenceOf(stored: StoredTeamChange): string {
  const { fired, delivery_triggered, held, kind } = stored
  if (held === 'dropped') return 'What fired was dropped: by a mute, or by somebody while it waited.'
  if (delivery_triggered) return 'Its deliveries are not stored any more.'
  if (fired === true) return 'The monitor had no destination.'
  if (fired === null) return 'An earlier version recorded the run, and did not record why.'
  return NOT_FIRED[kind]?.(stored) ?? 'The change did not meet the condition of the monitor.'
}

/** Why a change did not fire, by the kind of its monitor. */
const NOT_FIRED: Readonly<Partial<Record<MonitorKind, (stored: StoredTeamChange) => string>>> = {
  page: () => 'The condition of the monitor (diff_predicate) did not hold.',
  serp: ({ change }) =>
    change?.fields[0]?.field === 'rank'
      ? 'The rank moved by less than rank_change_threshold.'
      : 'The rank did not move, or the monitor has no target_domain.',
}
