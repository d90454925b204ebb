import { runIdTime } from '../../core/run-id.ts'
import type { OverviewRow } from '../../schema/overview/overview.ts'
import type { StoredOverview } from '../../store/overview/overview.ts'

/** Returns a monitor in the form of the overview. */
export function overviewRow(stored: StoredOverview): OverviewRow {
  const { summary, labels, mute } = stored
  return {
    id: stored.id,
    kind: stored.kind,
    name: stored.name,
    target: stored.target ?? '',
    search: stored.search,
    status: stored.status,
    labels: labels ?? {},
    managed_by: stored.managed_by,
    mute: mute && { until: mute.until, drop: mute.drop },
    schedule_interval_seconds: stored.schedule_interval_seconds,
    consecutive_failures: stored.failures,
    last_run: lastRunOf(stored),
    next_run_at: stored.next_run_at,
    value: stored.has_baseline ? (summary?.value ?? null) : null,
    last_change: lastChangeOf(stored),
    spark: [...(summary?.spark?.points ?? [])],
    unseen: stored.unseen,
  }
}

function lastRunOf(stored: StoredOverview): OverviewRow['last_run'] {
  const { run_id: id, run_status: status, start_offset_ms: offset, duration_ms: duration } = stored
  if (id !== null && status !== null) {
    const at = new Date(runIdTime(id) + (offset ?? 0) + (duration ?? 0)).toISOString()
    return { id, at, status, error_code: stored.error_code }
  }
  if (stored.last_run_at === null) return null
  return { id: null, at: stored.last_run_at, status: stored.failures > 0 ? 'error' : 'success', error_code: null }
}

function lastChangeOf({
  last_change_id: id,
  summary,
  is_change_shown: isShown,
}: StoredOverview): OverviewRow['last_change'] {
  if (id === null) return null
  const run_id = isShown ? id : null
  const change = summary?.change
  if (!change || change.run_id !== id) {
    const at = new Date(runIdTime(id)).toISOString()
    return { run_id, at, field: '', before: null, after: null, more: 0 }
  }
  const { at, field, before, after, more } = change
  return { run_id, at, field, before, after, more }
}
