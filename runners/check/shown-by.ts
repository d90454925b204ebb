import type { Fetched } from '../fetch/fetched.ts'
import type { Shot } from '../browser/page/shot.ts'

/** Pictures that came with a page, and what is to be said of them. */
export interface Shown {
  readonly shots: readonly Shot[]
  readonly warnings: readonly string[]
}

/** What a layer showed of the page: nothing, unless it was a browser. The proxy has no eyes. */
export function shownBy(fetched: Fetched & Partial<Shown>): Shown {
  return { shots: fetched.shots ?? [], warnings: fetched.warnings ?? [] }
}
