/** A kind of monitor, for routes that both kinds have. */
export interface ServedKind {
  readonly path: '/v1/monitors' | '/v1/serp-monitors'
  readonly noun: string
  readonly tag: string
  /** Absent: a monitor of any kind is found. */
  readonly kind?: 'serp'
}

export const PAGES: ServedKind = { path: '/v1/monitors', noun: 'monitor', tag: 'Monitors' }

export const SEARCHES = {
  path: '/v1/serp-monitors',
  noun: 'SERP monitor',
  tag: 'SERP monitors',
  kind: 'serp',
} as const satisfies ServedKind
