import type { Fetched } from '../fetch/fetched.ts'
import type { Shot } from '../browser/page/shot.ts'

/** The pictures of a page, and their warnings. */
interface Shown {
  readonly shots: readonly Shot[]
  readonly warnings: readonly string[]
}

/** Returns the visual result of a fetch. It is empty unless the layer was a browser: the proxy takes no pictures. */
export function shownBy(fetched: Fetched & Partial<Shown>): Shown {
  return { shots: fetched.shots ?? [], warnings: fetched.warnings ?? [] }
}
