import type { SerpMonitorSpec } from '../../schema/serp/serp-monitor.ts'
import type { Issue } from '../../schema/validation/issue.ts'

export const THRESHOLD_PATH = 'rank_change_threshold'

/** Returns what is said of a threshold that no rank can meet: a rank is that of a target. Null: nothing. */
export function thresholdWarning({
  mode,
  rank_change_threshold: threshold,
  target_domain: target,
}: Pick<SerpMonitorSpec, 'mode' | 'rank_change_threshold' | 'target_domain'>): string | null {
  if (mode !== 'rank_tracking' || threshold === null || target !== null) return null
  return `${THRESHOLD_PATH} fires nothing without target_domain, which names the site whose rank is followed.`
}

/** Returns the same beside the key that it is about. */
export function thresholdRemarks(spec: SerpMonitorSpec): readonly Issue[] {
  const warning = thresholdWarning(spec)
  return warning === null ? [] : [{ path: THRESHOLD_PATH, message: warning.slice(THRESHOLD_PATH.length + 1) }]
}
