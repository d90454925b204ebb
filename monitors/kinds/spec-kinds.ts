import type { MonitorKind } from '../../schema/resource-kind.ts'
import { PAGE_SPEC } from './page-spec.ts'
import { SEARCH_SPEC } from './search-spec.ts'
import type { SpecKind } from './spec-kind.ts'

/** The configurations of every kind of monitor. */
const SPEC_KINDS: readonly SpecKind[] = [PAGE_SPEC, SEARCH_SPEC]

/** Returns the configurations of the kind that the store calls so. */
export function specKindCalled(name: MonitorKind): SpecKind {
  const found = SPEC_KINDS.find(({ resource }) => resource.declares === name)
  if (!found) throw new Error(`there is no kind of monitor ${name}`)
  return found
}
