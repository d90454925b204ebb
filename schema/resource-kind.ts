/** The API group of the custom resources. */
export const RESOURCE_GROUP = 'tidemark.dev'
const VERSION = 'v1'
/** The `apiVersion` of the custom resources. */
export const RESOURCE_API = `${RESOURCE_GROUP}/${VERSION}`

/** The name of a kind of monitor, as the store calls it. */
export type MonitorKind = string

/** The names of a kind of custom resource. */
export interface ResourceKind {
  readonly kind: string
  readonly plural: string
  readonly singular: string
  readonly shortName: string
  /** What the API and the dashboard call them in paths: `/v1/monitors`. */
  readonly collection: string
  /** The kind of monitor that its resources declare. */
  readonly declares: MonitorKind
}

export const MONITOR_RESOURCE = {
  kind: 'Monitor',
  plural: 'monitors',
  singular: 'monitor',
  shortName: 'mon',
  collection: 'monitors',
  declares: 'page',
} as const satisfies ResourceKind

export const SERP_MONITOR_RESOURCE = {
  kind: 'SerpMonitor',
  plural: 'serpmonitors',
  singular: 'serpmonitor',
  shortName: 'serp',
  collection: 'serp-monitors',
  declares: 'serp',
} as const satisfies ResourceKind

/** Every kind of custom resource. */
export const RESOURCE_KINDS: readonly ResourceKind[] = [MONITOR_RESOURCE, SERP_MONITOR_RESOURCE]

/** The kinds of monitor that they declare. */
export const MONITOR_KINDS: readonly MonitorKind[] = RESOURCE_KINDS.map(({ declares }) => declares)

/** Returns the names of the resources that declare monitors of a kind. */
export function resourceKindOf(kind: MonitorKind): ResourceKind {
  const found = RESOURCE_KINDS.find(({ declares }) => declares === kind)
  if (!found) throw new Error(`no custom resource declares monitors of the kind ${kind}`)
  return found
}

/** Returns the name of the definition of a kind in a cluster. */
export const definitionName = ({ plural }: Pick<ResourceKind, 'plural'>): string => `${plural}.${RESOURCE_GROUP}`

/** Returns the path at which the API server serves a kind: of all namespaces, or of one. */
export const resourcesPath = ({ plural }: Pick<ResourceKind, 'plural'>, namespace?: string): string =>
  `/apis/${RESOURCE_API}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${plural}`
