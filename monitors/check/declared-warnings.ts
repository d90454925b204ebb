import type { Issue } from '../../schema/validation/issue.ts'
import type { MonitorSpec } from '../../schema/monitor/monitor.ts'
import type { SerpMonitorSpec } from '../../schema/serp/serp-monitor.ts'
import { unsentNames } from '../../egress/unsent-headers.ts'
import { THRESHOLD_PATH, thresholdWarning } from './threshold-warning.ts'

/** Returns what a configuration is warned of that needs neither a store nor a server to be known. */
export function declaredWarnings(spec: MonitorSpec | SerpMonitorSpec): readonly Issue[] {
  if ('keyword' in spec) {
    const warning = thresholdWarning(spec)
    return warning === null ? [] : [{ path: THRESHOLD_PATH, message: warning.slice(THRESHOLD_PATH.length + 1) }]
  }
  const names = unsentNames(spec.request_headers ?? {})
  if (names.length === 0) return []
  const listed = names.map((name) => JSON.stringify(name)).join(', ')
  return [
    { path: 'request_headers', message: `names headers that belong to a connection and are never sent: ${listed}` },
  ]
}
