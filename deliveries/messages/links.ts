import { type MonitorKind, resourceKindOf } from '../../schema/resource-kind.ts'

/** The words of links in messages. */
export const LINK_WORDS = { run: 'See the run', all: 'See all of them' } as const

/** The addresses that links in messages are made from. */
export interface Links {
  /** `TIDEMARK_DASHBOARD_URL`. Null: messages have no link to the run, because it would lead nowhere. */
  readonly dashboardUrl: string | null
}

/** The parts of a message that its link is made of. */
interface Linked {
  readonly kind: MonitorKind
  readonly monitor_id: string | null
  readonly run_id: string | null
}

/** Returns the address of a run, below that of its monitor; null without a dashboard, a monitor or a run. */
export function runUrl({ dashboardUrl }: Links, { kind, monitor_id, run_id }: Linked): string | null {
  if (dashboardUrl === null || monitor_id === null || run_id === null) return null
  return `${monitorUrl(dashboardUrl, kind, monitor_id)}/runs/${encodeURIComponent(run_id)}`
}

/** Returns the address of a monitor: `<dashboard>/monitors/<id>`, and of a search `<dashboard>/serp-monitors/<id>`. */
export function monitorUrl(dashboardUrl: string, kind: MonitorKind, id: string): string {
  const path = `/${resourceKindOf(kind).collection}/${encodeURIComponent(id)}`
  return new URL(`${dashboardUrl.replace(/\/+$/, '')}${path}`).href
}

/**
 * Returns the address of the watched page as a link, parsed and serialized again; null when it is not a web address.
 */
export function pageUrl(address: string): string | null {
  const url = URL.parse(address)
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : null
}
