import type { SourceFile } from './source-file.ts'

export interface Repository {
  root: string
  files: readonly SourceFile[]
}

/** One line of the gate. */
export interface Check {
  name: string
  /**
   * Returns each fault as text, as `file:line: what is wrong` where there is a line. Returns an empty list when nothing
   * is wrong.
   */
  faults(repository: Repository): Promise<string[]> | string[]
}
