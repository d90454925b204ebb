import { joinPath } from '../schema/validation/issue.ts'
import type { Manifest, NamespaceManifest, SecretManifest, Skipped } from './manifest.ts'
import type { Key, ManifestFault, Place } from './places.ts'

export const IN_QUOTES = 'must be a text: write it in quotes'

export interface Found {
  readonly manifests: Manifest[]
  readonly flawed: Manifest[]
  readonly secrets: SecretManifest[]
  readonly namespaces: NamespaceManifest[]
  readonly skipped: Skipped[]
  readonly faults: ManifestFault[]
  readonly empty: ManifestFault[]
  /** The first document of each name. */
  readonly seen: Map<string, Place>
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

export type Fault = (path: readonly Key[], message: string) => void

/** Returns the entries that are texts. */
export const textsOf = (value: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(isObject(value) ? value : {}).filter((entry): entry is [string, string] => {
      const [, text] = entry
      return typeof text === 'string'
    }),
  )

export const spelled = (path: readonly Key[]): string => (path.length === 0 ? '' : `${joinPath('', ...path)} `)
