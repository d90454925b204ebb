/** The addresses that links in messages are made from. */
export interface Links {
  /** `TIDEMARK_DASHBOARD_URL`. Null: messages have no link to the run, because it would lead nowhere. */
  readonly dashboardUrl: string | null
}

/**
 * Returns the address of a run: `<dashboard>/monitors/<monitor id>/runs/<run id>`; null without a dashboard or a run.
 */
export function runUrl(
  { dashboardUrl }: Links,
  { monitor_id, run_id }: { readonly monitor_id: string | null; readonly run_id: string | null },
): string | null {
  if (dashboardUrl === null || monitor_id === null || run_id === null) return null
  const path = `/monitors/${encodeURIComponent(monitor_id)}/runs/${encodeURIComponent(run_id)}`
  return new URL(`${dashboardUrl.replace(/\/+$/, '')}${path}`).href
}

/**
 * Returns the address of the watched page as a link, parsed and serialized again; null when it is not a web address.
 */
export function pageUrl(address: string): string | null {
  const url = URL.parse(address)
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : null
}
