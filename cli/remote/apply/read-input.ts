import { printable } from '../../../core/printable.ts'
import { createPolicy } from '../../../egress/policy.ts'
import type { ManifestFault } from '../../../manifests/places.ts'
import { judgeInput } from '../../../monitors/declared/judge-input.ts'
import type { JudgedManifest } from '../../../monitors/declared/judge-manifests.ts'
import type { ProcessIo } from '../../../platform/process-io.ts'
import { nameLeftOut } from '../../manifests/name-left-out.ts'
import { readSecrets } from '../../manifests/read-secrets.ts'
import { readTexts } from '../../manifests/read-texts.ts'
import { SUSPENDED_LABEL } from '../records.ts'
import { RemoteError } from '../remote-error.ts'

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
export async function readInput(
  io: ProcessIo,
  { files, secrets, set, prunes }: InputOptions,
): Promise<readonly JudgedManifest[]> {
  const { texts, faults: unread } = await readTexts(io, files)
  const { secretsOf, faults: unreadSecrets } = await readSecrets(io, secrets)
  const { valid, faults, skipped } = judgeInput({
    texts,
    unread: [...unread, ...unreadSecrets],
    secretsOf,
    refusesEmpty: prunes,
    egress: ANY_ADDRESS,
    labelsOf: ({ suspend }) => ({ ...set, ...(suspend && { [SUSPENDED_LABEL]: 'true' }) }),
  })
  if (faults.length > 0)
    throw new RemoteError(inLines('the manifests are not valid, and nothing was sent:', faults), 'usage')
  nameLeftOut(io, skipped)
  return valid
}

/** Returns a sentence and a line for each fault. */
export const inLines = (head: string, faults: readonly ManifestFault[]): string =>
  [head, ...faults.map(({ file, line, message }) => `  ${printable(`${file}:${line} ${message}`)}`)].join('\n')
