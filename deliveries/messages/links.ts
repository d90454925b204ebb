import type { MessagePayload } from './message-payload.ts'

/** Where messages lead. */
export interface Links {
  /** `TIDEMARK_DASHBOARD_URL`, or the base address. */
  readonly dashboardUrl: string
}

/** The page of a run: `<dashboard>/monitors/<monitor id>/runs/<run id>`. */
export function runUrl(
  { dashboardUrl }: Links,
  { monitor_id, run_id }: Pick<MessagePayload, 'monitor_id' | 'run_id'>,
): string {
  const path = `/monitors/${encodeURIComponent(monitor_id)}/runs/${encodeURIComponent(run_id)}`
  return new URL(`${dashboardUrl.replace(/\/+$/, '')}${path}`).href
}

/** The watched page as something to click on, parsed and written again; null for what is no web address. */
export function pageUrl(address: string): string | null {
  const url = URL.parse(address)
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : null
}
