import type { SecretManifest } from '../../manifests/manifest.ts'
import type { ManifestFault } from '../../manifests/places.ts'
import { readManifests } from '../../manifests/read-manifests.ts'
import { type SecretSource, secretSource } from '../../manifests/secret-values.ts'
import type { ProcessIo } from '../../platform/process-io.ts'
import { readTextOf } from './read-texts.ts'

interface ReadSecrets {
  /** Returns the values for the references of an input: from its Secrets, from the file, and from variables. */
  secretsOf(own: readonly SecretManifest[]): SecretSource
  readonly faults: readonly ManifestFault[]
}

/** Reads the file of `--secrets`. A monitor in it is a fault, because nothing would come of it. */
export async function readSecrets(io: ProcessIo, file: string | undefined): Promise<ReadSecrets> {
  const beside = file === undefined ? null : readManifests([await readTextOf(io, file)])
  const misplaced = (beside?.manifests ?? []).map(({ resource, place }) => ({
    ...place,
    path: '',
    message: `is a ${resource.kind}, and --secrets takes only Secrets: name this file with -f too`,
  }))
  return {
    secretsOf: (own) => secretSource([...own, ...(beside?.secrets ?? [])], io.env, 'a Secret document, --secrets FILE'),
    faults: [...(beside?.faults ?? []), ...misplaced],
  }
}
