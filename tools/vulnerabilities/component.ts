/** The parts of OSV's data that are read here, by the name of OSV. */
export type Ecosystem = 'npm' | 'Debian:12'

/** A package in one version. */
export interface Component {
  readonly ecosystem: Ecosystem
  /** The name as OSV has it: that of the source package, for Debian. */
  readonly name: string
  /** The name as it is installed. */
  readonly installedAs: string
  /** The version as OSV has it: that of the source package, for Debian. */
  readonly version: string
  /** Where it is used, such as `service`, `development` or `image tidemark`. */
  readonly use: string
}

/** The use of packages that only who works on the repository runs. */
export const DEVELOPMENT = 'development'

/** What stops the search. The message is one sentence for who started it, and says what to do. */
export class InputError extends Error {}
