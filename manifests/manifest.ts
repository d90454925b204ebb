import type { Labels } from '../schema/monitor/labels.ts'
import type { ResourceKind } from '../schema/resource-kind.ts'
import type { ManifestFault, Place } from './places.ts'

/** A text to read manifests from. */
export interface ManifestText {
  /** The name that faults give: a path, or `standard input`. */
  readonly file: string
  readonly text: string
}

/** A manifest of a monitor. Its spec has not been checked yet: see `resolve-manifest.ts`. */
export interface Manifest {
  readonly resource: ResourceKind
  readonly namespace: string
  readonly name: string
  /** Namespace and name for people, as they were written, valid or not; the place of one without a name. */
  readonly reference: string
  readonly labels: Labels
  /** The id of the monitor that the manifest takes over. */
  readonly adopts: string | null
  /** Each new value asks for a run. */
  readonly runRequest: string | null
  readonly suspend: boolean
  /** In the resource's spelling, with references to Secrets, without `suspend`. */
  readonly spec: Readonly<Record<string, unknown>>
  readonly place: Place
  /** What is wrong with it outside of its spec. Where anything is, it is among the flawed ones. */
  readonly faults: readonly ManifestFault[]
  /** Returns where the value is that the API calls so: `extract_config.fields.price`, `labels.env`. */
  placeOf(path: string): Place
  /** Returns where a key of the document is, as in `metadata`, `namespace`. */
  placeOfKey(...keys: readonly string[]): Place
}

/** The values of a Secret, as text. */
export interface SecretManifest {
  readonly namespace: string
  readonly name: string
  readonly values: Readonly<Record<string, string>>
  readonly place: Place
}

/** A namespace of a cluster. */
export interface NamespaceManifest {
  readonly name: string
  /** What its label names its team by, which may be anything; undefined without the label. */
  readonly team: unknown
  /** The place of the label, or of the document. */
  readonly place: Place
}

export interface Skipped extends Place {
  readonly kind: string
  readonly name: string | null
}
