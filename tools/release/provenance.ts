import type { PublicNames } from '../../schema/public-names.ts'
import type { ReleasedFile } from './checksums.ts'

/** What a release was made from. */
interface Source {
  readonly version: string
  /** The commit, in hex. */
  readonly commit: string
  /** Who builds, as a URI. */
  readonly builder: string
  /** Whether it is the tag of the version. */
  readonly isOfTag: boolean
  /** The lockfiles. Packages of Debian and Node are in the lists of components of the images. */
  readonly locks: readonly ReleasedFile[]
}

/**
 * Returns how the files of a release were made: an in-toto statement with the predicate SLSA provenance v1. It names no
 * time, so that a second build gives the same one.
 */
export function provenanceOf({ repository }: PublicNames, source: Source, files: readonly ReleasedFile[]): object {
  const uri = `git+${repository}${source.isOfTag ? `@refs/tags/v${source.version}` : ''}`
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: files.map(({ path, sha256 }) => ({ name: path, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: `${repository}/blob/main/docs/releases.md`,
        externalParameters: { repository, version: source.version },
        internalParameters: source.isOfTag ? {} : { isOfTag: false },
        resolvedDependencies: [
          { uri, digest: { gitCommit: source.commit } },
          ...source.locks.map(({ path, sha256 }) => ({ uri: `${uri}#${path}`, name: path, digest: { sha256 } })),
        ],
      },
      runDetails: { builder: { id: source.builder } },
    },
  }
}
