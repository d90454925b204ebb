import type { MonitorSpec } from '../schema/monitor/monitor.ts'
import type { FetchReason } from '../schema/run/run.ts'

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

/** Returns why the configuration alone puts a check into this queue; null: it does not, the first layer is enough. */
export function layerReason({
  queue,
  fetch_mode: mode,
}: {
  readonly queue: CheckQueue
  readonly fetch_mode: string
}): FetchReason | null {
  if (queue === 'visual') return 'configured'
  if (queue !== 'browser') return null
  return mode === 'browser' ? 'configured' : 'search_results'
}

/** Hosts with known result pages, without `www.`, and the path and parameter of those pages. */
const ENGINES: readonly { readonly host: RegExp; readonly path: RegExp; readonly query: string }[] = [
  { host: /^google\.(?:com?\.)?[a-z]{2,3}$/, path: /^\/search$/, query: 'q' },
  { host: /^(?:[a-z]{2}\.|cn\.)?bing\.com$/, path: /^\/search$/, query: 'q' },
  { host: /^(?:html\.|lite\.)?duckduckgo\.com$/, path: /^\/(?:html\/?|lite\/?)?$/, query: 'q' },
  { host: /^(?:[a-z]{2}\.)?search\.yahoo\.com$/, path: /^\/(?:mobile\/s|search)(?:;.*)?$/, query: 'p' },
  { host: /^search\.yahoo\.co\.jp$/, path: /^\/search$/, query: 'p' },
  { host: /^search\.brave\.com$/, path: /^\/search$/, query: 'q' },
  { host: /^yandex\.(?:com(?:\.tr)?|ru|kz|by|uz)$/, path: /^\/search\/?$/, query: 'text' },
  { host: /^ya\.ru$/, path: /^\/search\/?$/, query: 'text' },
  { host: /^baidu\.com$/, path: /^\/s$/, query: 'wd' },
  { host: /^ecosia\.org$/, path: /^\/search$/, query: 'q' },
  { host: /^startpage\.com$/, path: /^\/(?:sp|do)\/(?:search|dsearch)$/, query: 'query' },
  { host: /^search\.naver\.com$/, path: /^\/search\.naver$/, query: 'query' },
  { host: /^qwant\.com$/, path: /^\/$/, query: 'q' },
]

/** Returns whether an address is a page of search results. Such a page is rendered in a browser even under `auto`. */
export function isSearchResultsUrl(address: string): boolean {
  // Asked for each check, and few addresses have a query.
  if (!address.includes('?')) return false
  const url = URL.parse(address)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return false
  const host = url.hostname.replace(/\.$/, '').replace(/^(?:www|m)\./, '')
  return ENGINES.some(
    (engine) => engine.host.test(host) && engine.path.test(url.pathname) && url.searchParams.has(engine.query),
  )
}
