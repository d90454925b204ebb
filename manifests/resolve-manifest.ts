import { inApiSpelling, toApiNames, toResourcePath } from '../core/custom-resource/names.ts'
import { resourceIssue } from '../core/custom-resource/resource-issue.ts'
import { referenceIssues, withSecrets } from '../core/custom-resource/with-secrets.ts'
import type { Issue } from '../schema/validation/issue.ts'
import type { Manifest } from './manifest.ts'
import type { ManifestFault } from './places.ts'
import type { SecretSource } from './secret-values.ts'

/** A manifest as a body of the API. */
interface ResolvedManifest {
  /** Where a value of a Secret is not known, it has one that stands for it. */
  readonly body: Readonly<Record<string, unknown>>
  /** Keys in another spelling, references that are none, and Secrets that lack a value. */
  readonly faults: readonly ManifestFault[]
  /** Returns whether the value at a path of the API is not known, so that nothing can be said of it. */
  isUnknown(path: string): boolean
}

/**
 * Returns the configuration that a manifest declares, in the API's spelling, with the values of its Secrets and its
 * labels. The shape of the spec is not checked, except for its references to Secrets. `definition` is that of the
 * configurations of its kind.
 */
export function resolveManifest(manifest: Manifest, definition: object, secrets: SecretSource): ResolvedManifest {
  const { namespace, labels } = manifest
  const broken = referenceIssues(manifest.spec)
  const faults = [...faultsOf(manifest, [...broken, ...inApiSpelling(definition, manifest.spec)])]
  const unknown = broken.map(({ path }) => toResourcePath(path.replace(/From$/, '')))
  const whole = withSecrets(manifest.spec, ({ name, key }, { path, valuePath }) => {
    const value = secrets.valueOf({ namespace, name, key })
    if (value !== null) return value
    const at = toResourcePath(path)
    const ways = secrets.waysToGive({ namespace, name, key })
    const message = `${at}: the Secret ${namespace}/${name} has no value for the key ${key}: ${ways}`
    if (ways !== null) faults.push({ ...manifest.placeOf(path), path: at, message })
    unknown.push(toResourcePath(valuePath))
    // No two are equal, because a list may not have the same item twice.
    return `https://example.com/${encodeURIComponent(name)}/${encodeURIComponent(key)}`
  })
  return {
    body: { ...(toApiNames(definition, whole) as object), labels },
    faults,
    isUnknown(path) {
      const at = toResourcePath(path)
      return unknown.some((one) => at === one || at.startsWith(`${one}.`) || at.startsWith(`${one}[`))
    },
  }
}

/** Returns faults of the API's validation with their places, in the words and the spelling of a manifest. */
export const faultsOf = (manifest: Manifest, issues: readonly Issue[]): readonly ManifestFault[] =>
  issues.map((issue) => {
    const { path, message } = resourceIssue(issue)
    return { ...manifest.placeOf(issue.path), path, message: `${path} ${message}` }
  })
