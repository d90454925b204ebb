/** What a release has, for who publishes it: `release.json`. Paths are from its folder. */
export interface ReleaseManifest {
  readonly version: string
  /** The commit, in hex. */
  readonly commit: string
  readonly packages: readonly string[]
  readonly images: readonly ReleasedImage[]
  /** Null: the release was made without images, and so without the chart. */
  readonly chart: string | null
}

/** An image of a release. */
export interface ReleasedImage {
  readonly name: string
  /** Where it is to be published, with the registry. */
  readonly repository: string
  /** Such as `sha256:…`. */
  readonly digest: string
  readonly archive: string
  /** What it is made of, one file for each architecture. */
  readonly boms: readonly string[]
}

/** The file of the manifest. */
export const RELEASE_MANIFEST = 'release.json'
