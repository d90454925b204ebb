import { isSearchResultsUrl } from '../core/search-results-url.ts'
import type { MonitorSpec } from '../schema/monitor.ts'
import type { CheckQueue } from './claim.ts'

/**
 * The queue whose runners do a monitor's checks. A request_config is always fetched directly (spec; DESIGN §4.24), a page of search results always rendered.
 */
export function monitorQueue(
  spec: Pick<MonitorSpec, 'url' | 'fetch_mode' | 'request_config' | 'visual_config'>,
): CheckQueue {
  if (spec.request_config) return 'static'
  if (spec.visual_config?.enabled) return 'visual'
  return spec.fetch_mode === 'browser' || isSearchResultsUrl(spec.url) ? 'browser' : 'static'
}
