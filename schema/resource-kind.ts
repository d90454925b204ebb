/** The API group of the custom resources. */
export const RESOURCE_GROUP = 'tidemark.dev'
const VERSION = 'v1'
/** The `apiVersion` of the custom resources. */
export const RESOURCE_API = `${RESOURCE_GROUP}/${VERSION}`

/** The kinds of monitor, as the store calls them. */
export const MONITOR_KINDS = ['page', 'serp'] as const
export type MonitorKind = (typeof MONITOR_KINDS)[number]

/** The names of a kind of custom resource. */
export interface ResourceKind {
  readonly kind: string
  readonly plural: string
  readonly singular: string
  readonly shortName: string
  /** The kind of monitor that its resources declare. */
  readonly declares: MonitorKind
}

export const MONITOR_RESOURCE = {
  kind: 'Monitor',
  plural: 'monitors',
  singular: 'monitor',
  shortName: 'mon',
  declares: 'page',
} as const satisfies ResourceKind

export const SERP_MONITOR_RESOURCE = {
  kind: 'SerpMonitor',
  plural: 'serpmonitors',
  singular: 'serpmonitor',
  shortName: 'serp',
  declares: 'serp',
} as const satisfies ResourceKind

/** Returns the name of the definition of a kind in a cluster. */
export const definitionName = ({ plural }: Pick<ResourceKind, 'plural'>): string => `${plural}.${RESOURCE_GROUP}`

/** Returns the path at which the API server serves a kind: of all namespaces, or of one. */
export const resourcesPath = ({ plural }: Pick<ResourceKind, 'plural'>, namespace?: string): string =>
  `/apis/${RESOURCE_API}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${plural}`
