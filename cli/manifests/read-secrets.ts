import type { ManifestFault } from '../../manifests/places.ts'
import { readManifests, type SecretManifest } from '../../manifests/read-manifests.ts'
import { type SecretSource, secretSource } from '../../manifests/secret-values.ts'
import { readTextOf } from './read-texts.ts'

/**
 * Returns the values for the references of an input: of its own Secrets, of the file of `--secrets`, and of variables.
 * A monitor in that file is a fault, because nothing would come of it.
 */
export async function readSecrets(
  own: readonly SecretManifest[],
  file: string | undefined,
): Promise<{ readonly secrets: SecretSource; readonly faults: readonly ManifestFault[] }> {
  const beside = file === undefined ? null : readManifests([await readTextOf(file)])
  const misplaced = (beside?.manifests ?? []).map(({ resource, place }) => ({
    ...place,
    path: '',
    message: `is a ${resource.kind}, and --secrets takes only Secrets: name this file with -f too`,
  }))
  const documents = [...own, ...(beside?.secrets ?? [])]
  const secrets = secretSource(documents, process.env, 'a Secret document, --secrets FILE')
  return { secrets, faults: [...(beside?.faults ?? []), ...misplaced] }
}
