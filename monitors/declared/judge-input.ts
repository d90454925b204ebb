import { inOrder } from '../../manifests/in-order.ts'
import type { Manifest, ManifestText, SecretManifest } from '../../manifests/manifest.ts'
import type { ManifestFault } from '../../manifests/places.ts'
import { readManifests } from '../../manifests/read-manifests.ts'
import type { SecretSource } from '../../manifests/secret-values.ts'
import { type JudgedManifest, judgeManifests, type Judging } from './judge-manifests.ts'

/** The texts of an input, and what its manifests are judged with. */
interface ManifestInput extends Omit<Judging, 'secrets'> {
  readonly texts: readonly ManifestText[]
  /** Files that could not be read. */
  readonly unread: readonly ManifestFault[]
  /** Returns the values of references. It is given the Secrets of the input. */
  secretsOf(documents: readonly SecretManifest[]): SecretSource
  /** A text without a character is a fault. */
  readonly refusesEmpty: boolean
}

type Read = ReturnType<typeof readManifests>

/** What an input declares. */
interface JudgedInput extends Pick<Read, 'namespaces' | 'skipped'> {
  /** All of its manifests, with those that have faults. */
  readonly manifests: readonly Manifest[]
  readonly valid: readonly JudgedManifest[]
  /** Everything that is wrong, in the order of files and lines. Where anything is, nothing may be applied. */
  readonly faults: readonly ManifestFault[]
}

/** Reads texts and judges their manifests. Whatever applies or validates files begins here. */
export function judgeInput({ texts, unread, secretsOf, refusesEmpty, ...judging }: ManifestInput): JudgedInput {
  const { flawed, secrets, empty, namespaces, skipped, ...read } = readManifests(texts)
  const manifests = [...read.manifests, ...flawed]
  const { valid, faults } = judgeManifests(manifests, { ...judging, secrets: secretsOf(secrets) })
  const all = [...unread, ...read.faults, ...(refusesEmpty ? empty : []), ...faults]
  return { manifests, valid, faults: inOrder(all, texts), namespaces, skipped }
}
