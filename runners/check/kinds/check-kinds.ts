import type { CheckKind } from './check-kind.ts'
import { PAGE_CHECK } from './page-check.ts'
import { SEARCH_CHECK } from './search-check.ts'

/** How the checks of every kind of monitor are run, for a process that has no store. */
export const CHECK_KINDS: readonly CheckKind[] = [PAGE_CHECK, SEARCH_CHECK]
