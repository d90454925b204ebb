import { TEAM } from '../core/custom-resource/annotations.ts'
import { DEFAULT_NAMESPACE } from '../core/custom-resource/resource-name.ts'
import { isUuid } from '../core/is-uuid.ts'
import { closestKey, didYouMean, joinPath } from '../schema/validation/issue.ts'
import type { Manifest, NamespaceManifest } from './manifest.ts'
import type { ManifestFault } from './places.ts'

/** What can be said of namespaces without a cluster. */
interface NamespaceRemarks {
  readonly faults: readonly ManifestFault[]
  /** What is wrong unless the cluster has it otherwise. */
  readonly warnings: readonly ManifestFault[]
}

const LABEL = joinPath('metadata.labels', TEAM)

/**
 * Compares the namespaces of manifests with the documents of the kind Namespace beside them. Where there is none of
 * these, nothing can be said.
 */
export function namespaceRemarks(
  manifests: readonly Manifest[],
  namespaces: readonly NamespaceManifest[],
): NamespaceRemarks {
  const declared = namespaces.map(({ name }) => name)
  const used = new Set(manifests.map(({ namespace }) => namespace))
  const faults = namespaces
    .filter(({ team }) => team !== undefined && !(typeof team === 'string' && isUuid(team)))
    .map(({ place }) => ({
      ...place,
      path: LABEL,
      message: `${LABEL} must be the id of a team: GET /v1/team shows it`,
    }))
  const unlabelled = namespaces
    .filter(({ name, team }) => team === undefined && used.has(name))
    .map(({ name, place }) => ({
      ...place,
      path: LABEL,
      message: `${LABEL} is missing: the monitors of ${name} belong to no team unless --default-team is for it`,
    }))
  const unknown = manifests
    .filter(({ namespace }) => declared.length > 0 && namespace !== DEFAULT_NAMESPACE && !declared.includes(namespace))
    .map(({ namespace, placeOfKey }) => ({
      ...placeOfKey('metadata', 'namespace'),
      path: 'metadata.namespace',
      message:
        `metadata.namespace is ${namespace}, and no document here is a Namespace of this name` +
        didYouMean(closestKey(namespace, declared)),
    }))
  return { faults, warnings: [...unlabelled, ...unknown] }
}
