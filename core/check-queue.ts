import { isSearchResultsUrl } from './search-results-url.ts'
import type { MonitorSpec } from '../schema/monitor/monitor.ts'

/** The queues of checks. A queue stands for a fetch layer and a pool of runners. */
export const CHECK_QUEUES = ['static', 'browser', 'visual', 'serp'] as const
export type CheckQueue = (typeof CHECK_QUEUES)[number]
/** The queues of monitors that watch a page. */
export type PageQueue = Exclude<CheckQueue, 'serp'>

/**
 * Returns the queue whose runners do a monitor's checks. A request_config is always fetched directly, because only a
 * direct request can carry a method and a body. A page of search results is always rendered.
 */
export function monitorQueue(
  spec: Pick<MonitorSpec, 'url' | 'fetch_mode' | 'request_config' | 'visual_config'>,
): PageQueue {
  if (spec.request_config) return 'static'
  if (spec.visual_config?.enabled) return 'visual'
  return spec.fetch_mode === 'browser' || isSearchResultsUrl(spec.url) ? 'browser' : 'static'
}
