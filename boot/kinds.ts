import { PAGES } from '../api/routes/monitors/page-monitors.ts'
import { SEARCHES } from '../api/routes/monitors/search-monitors.ts'
import type { ServedKind } from '../api/routes/monitors/served-kind.ts'
import { PAGE_WORK } from '../worker/kinds/page-work.ts'
import { SEARCH_WORK } from '../worker/kinds/search-work.ts'
import type { WorkKind } from '../worker/kinds/work-kind.ts'

/** One kind of monitor, as the processes of an installation have it. */
export interface InstalledKind {
  /** How the API serves it, with its use cases and its table. */
  readonly served: ServedKind
  /** What workers do with its checks. */
  readonly work: WorkKind
}

/** Every kind of monitor. This is the table that the entry points are given. */
export const KINDS: readonly InstalledKind[] = [
  { served: PAGES, work: PAGE_WORK },
  { served: SEARCHES, work: SEARCH_WORK },
]

/** How the API serves each kind. */
export const SERVED_KINDS = KINDS.map(({ served }) => served)

/** What workers do with the checks of each kind. */
export const WORK_KINDS = KINDS.map(({ work }) => work)
