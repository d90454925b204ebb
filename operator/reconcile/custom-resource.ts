import { hash } from 'node:crypto'
import {
  ADOPT,
  labelsOf,
  MIRROR_OF,
  MIRRORED,
  resourceLabels,
  RUN_REQUESTED,
  runRequestOf,
  TEAM,
} from '../../core/custom-resource/annotations.ts'
import type { DeliveryType } from '../../schema/monitor/delivery-config.ts'
import { RESOURCE_API, type ResourceKind, resourcesPath } from '../../schema/resource-kind.ts'
import type { KubeObject } from '../cluster/kube-object.ts'

/** A condition in a status. */
export interface Condition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly observedGeneration: number
  readonly lastTransitionTime: string
  readonly reason: string
  readonly message: string
}

/** A destination that takes no messages. */
export interface FailedDestination {
  readonly path: string
  readonly type: DeliveryType
  readonly address?: string
  readonly since: string
  readonly responseStatus?: number
}

/** A custom resource of any kind. The API server has validated its spec against the definition of its kind. */
export interface CustomResource extends KubeObject {
  readonly spec: Readonly<Record<string, unknown>> & { readonly suspend?: boolean }
  readonly status?: ResourceStatus
}

/** The status that the operator writes: `schema/monitor/monitor-resource-status.ts` in the resource's spelling. */
export interface ResourceStatus {
  readonly observedGeneration?: number
  readonly id?: string
  readonly address?: string
  readonly interval?: string
  readonly conditions?: readonly Condition[]
  readonly lastChange?: {
    readonly time: string
    readonly runId: string
    readonly fields: readonly { readonly name: string; readonly before?: string; readonly after?: string }[]
  }
  /** null: the rule of the field has no match. */
  readonly values?: Readonly<Record<string, string | null>>
  readonly failedDestinations?: readonly FailedDestination[]
  readonly lastHandledRequest?: string
}

/** Keeps a deleted resource of any kind until its record is deleted. */
export const FINALIZER = 'tidemark.dev/monitor'
/**
 * The field manager under which mirrors are written. The API server notes it in the resource, and a resource that has
 * it counts as a mirror, whatever its labels and annotations. A copy does not have it. It is not proof: who names this
 * field manager on purpose makes a mirror, which the operator may replace or delete (decision 0021).
 */
export const MIRROR_MANAGER = 'tidemark-mirror'

/** The team of resources in namespaces without a label, and the namespaces that this holds for. */
export interface DefaultTeam {
  readonly id: string
  readonly namespaces: readonly string[]
}

/** Returns the id of the team that a namespace names, or that holds in it. */
export const teamIdOf = ({ metadata: { name, labels } }: KubeObject, defaultTeam: DefaultTeam | null) =>
  labels?.[TEAM] ?? (defaultTeam?.namespaces.includes(name) ? defaultTeam.id : undefined)

/** Returns the token with which a resource asks for a run, or null. */
export const requestOf = ({ metadata }: KubeObject): string | null => runRequestOf(metadata.annotations)

export const hasFinalizer = ({ metadata }: KubeObject): boolean => metadata.finalizers?.includes(FINALIZER) ?? false

/** Returns the path of one resource. */
export const pathOf = (kind: ResourceKind, { metadata: { namespace = '', name } }: KubeObject): string =>
  `${resourcesPath(kind, namespace)}/${name}`

const READ_ANNOTATIONS: ReadonlySet<string> = new Set([ADOPT, RUN_REQUESTED, MIRRORED])

/**
 * Returns the resource without what the operator does not read, which is half of its size. It has the label of a mirror
 * only where it is one.
 */
export function stripped({ kind }: ResourceKind, { metadata, spec, status }: CustomResource): CustomResource {
  const {
    name,
    namespace,
    uid,
    resourceVersion,
    generation,
    annotations = {},
    finalizers,
    deletionTimestamp,
    creationTimestamp,
    labels = {},
    managedFields = [],
  } = metadata
  const read = Object.entries(annotations).filter(([key]) => READ_ANNOTATIONS.has(key))
  const isMirror = managedFields.some(({ manager }) => manager === MIRROR_MANAGER)
  // Without the label it still is one, of a record that is not known: it is replaced.
  const mirrorOf = isMirror ? (labels[MIRROR_OF] ?? '') : undefined
  const kept = {
    ...resourceLabels(labelsOf(labels)),
    ...(mirrorOf !== undefined && { [MIRROR_OF]: mirrorOf }),
  }
  return {
    apiVersion: RESOURCE_API,
    kind,
    metadata: {
      name,
      uid,
      resourceVersion,
      ...(namespace !== undefined && { namespace }),
      ...(generation !== undefined && { generation }),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
      // The API server writes their keys in one order.
      edit: hash('md5', JSON.stringify([annotations, labels]), 'base64'),
      ...(read.length > 0 && { annotations: Object.fromEntries(read) }),
      ...(Object.keys(kept).length > 0 && { labels: kept }),
      ...(finalizers && { finalizers }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    },
    spec,
    ...(status && { status }),
  }
}
