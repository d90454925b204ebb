import { toApiNames, toResourcePath } from '../core/custom-resource/names.ts'
import { referenceIssues, secretRefs, withSecrets } from '../core/custom-resource/with-secrets.ts'
import { MonitorSpec } from '../schema/monitor/monitor.ts'
import { SerpMonitorSpec } from '../schema/serp/serp-monitor.ts'
import type { Issue } from '../schema/validation/issue.ts'
import type { Manifest, ManifestFault } from './read-manifests.ts'

/** A manifest as a body of the API, or what its Secrets lack. */
type ResolvedManifest =
  | { readonly ok: true; readonly body: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly faults: readonly ManifestFault[] }

/** A key of a Secret that a manifest reads. */
export interface SecretKey {
  readonly namespace: string
  readonly name: string
  readonly key: string
}

/**
 * Returns the configuration that a manifest declares, in the API's spelling, with the values of its Secrets and its
 * labels. The shape of the spec is not checked, except for its references to Secrets.
 *
 * @param valueOf returns the value of a key of a Secret, or null
 */
export function resolveManifest(manifest: Manifest, valueOf: (key: SecretKey) => string | null): ResolvedManifest {
  const { namespace, resource, spec, labels } = manifest
  const shape = faultsOf(manifest, referenceIssues(spec))
  if (shape.length > 0) return { ok: false, faults: shape }
  const faults: ManifestFault[] = []
  for (const { name, key } of secretRefs(spec))
    if (valueOf({ namespace, name, key }) === null)
      faults.push({ ...manifest.place, message: `the Secret ${namespace}/${name} has no value for the key ${key}` })
  if (faults.length > 0) return { ok: false, faults }
  const known = ({ name, key }: Pick<SecretKey, 'name' | 'key'>) => valueOf({ namespace, name, key }) ?? ''
  const whole = withSecrets(manifest.spec, known)
  const definition = resource.declares === 'serp' ? SerpMonitorSpec : MonitorSpec
  return { ok: true, body: { ...(toApiNames(definition, whole) as object), labels } }
}

/** Returns faults of the API's validation with their places, in the words and the spelling of a manifest. */
export const faultsOf = (manifest: Manifest, issues: readonly Issue[]): readonly ManifestFault[] =>
  issues.map(({ path, message }) => ({
    ...manifest.placeOf(path),
    message: path === '' ? `spec ${message}` : `${toResourcePath(path)} ${message}`,
  }))
