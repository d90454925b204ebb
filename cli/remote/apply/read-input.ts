import { keyOfIdentity } from '../../../core/custom-resource/resource-name.ts'
import { createPolicy } from '../../../egress/policy.ts'
import { inOrder } from '../../../manifests/in-order.ts'
import type { ManifestFault } from '../../../manifests/places.ts'
import { type Manifest, readManifests } from '../../../manifests/read-manifests.ts'
import { judgeManifests } from '../../../monitors/declared/judge-manifests.ts'
import { nameLeftOut } from '../../manifests/name-left-out.ts'
import { readSecrets } from '../../manifests/read-secrets.ts'
import { readTexts } from '../../manifests/read-texts.ts'
import { printable } from '../../printable.ts'
import { SUSPENDED_LABEL } from '../records.ts'
import { RemoteError } from '../remote-error.ts'

/** A manifest with the whole configuration that it declares. */
export interface Wanted {
  readonly manifest: Manifest
  /** The `external_key` of its record. */
  readonly key: string
  /** All keys of a record that a manifest says, with their defaults. */
  readonly spec: Readonly<Record<string, unknown>>
}

interface InputOptions {
  /** Files, folders, or `-`. */
  readonly files: readonly string[]
  /** A file with Secrets. */
  readonly secrets: string | undefined
  /** The label of every monitor that this input declares. */
  readonly set: Readonly<Record<string, string>>
  /** Whether records without a manifest are deleted: an empty file is a fault then. */
  readonly prunes: boolean
}

/**
 * Only the server knows which addresses it refuses. A fault that only it can find is reported when the manifest is
 * applied.
 */
const ANY_ADDRESS = createPolicy({ allowPrivateCidrs: ['0.0.0.0/0', '::/0'], neverAllow: [] })

/** Reads and checks all manifests. Throws with every fault, its file and its line; nothing has been asked by then. */
export async function readInput({ files, secrets, set, prunes }: InputOptions): Promise<readonly Wanted[]> {
  const { texts, faults: unread } = await readTexts(files)
  const read = readManifests(texts)
  const values = await readSecrets(read.secrets, secrets)
  const judged = judgeManifests([...read.manifests, ...read.flawed], {
    secrets: values.secrets,
    egress: ANY_ADDRESS,
    labelsOf: ({ suspend }) => ({ ...set, ...(suspend && { [SUSPENDED_LABEL]: 'true' }) }),
  })
  const faults = [...unread, ...read.faults, ...values.faults, ...(prunes ? read.empty : []), ...judged.faults]
  if (faults.length > 0)
    throw new RemoteError(
      inLines('the manifests are not valid, and nothing was sent:', inOrder(faults, texts)),
      'usage',
    )
  nameLeftOut(read.skipped)
  return judged.valid.map(({ manifest, spec }) => ({
    manifest,
    key: keyOfIdentity(manifest),
    spec: declaredKeys(spec),
  }))
}

/** A manifest names no template. */
const declaredKeys = (spec: object): Wanted['spec'] =>
  Object.fromEntries(Object.entries(spec).filter(([key]) => key !== 'template_slug'))

/** Returns a sentence and a line for each fault. */
export const inLines = (head: string, faults: readonly ManifestFault[]): string =>
  [head, ...faults.map(({ file, line, message }) => `  ${printable(`${file}:${line} ${message}`)}`)].join('\n')
