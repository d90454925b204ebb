import type { SourceFile } from './source-file.ts'

export interface Repository {
  root: string
  files: readonly SourceFile[]
}

/** One line of the gate. */
export interface Check {
  name: string
  /** Each fault as text, as `file:line: what is wrong` where there is a place; none: all is well. */
  faults(repository: Repository): Promise<string[]> | string[]
}
