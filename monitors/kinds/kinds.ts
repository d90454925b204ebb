import type { MonitorKind } from '../../schema/resource-kind.ts'
import type { Kind } from './kind.ts'
import { PAGE } from './page-kind.ts'
import { SEARCH } from './search-kind.ts'

/** Every kind of monitor. */
const KINDS: readonly Kind[] = [PAGE, SEARCH]

/** Returns the kind that the store calls so. */
export function kindCalled(name: MonitorKind): Kind {
  const found = KINDS.find(({ table }) => table.kind === name)
  if (!found) throw new Error(`there is no kind of monitor ${name}`)
  return found
}
