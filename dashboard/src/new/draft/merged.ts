import type { MonitorCreate } from '../../api/types.ts'
import { differingKeys } from './draft-body.ts'

interface Versions {
  /** As both read it. */
  readonly base: MonitorCreate
  /** As somebody else stored it since. */
  readonly stored: MonitorCreate
  /** As it was to be stored here. */
  readonly mine: MonitorCreate
}

/** Returns the keys that both changed, to different values: a person has to choose. */
export function disputedKeys({ base, stored, mine }: Versions): readonly (keyof MonitorCreate)[] {
  const theirs = differingKeys(stored, base)
  const ours = differingKeys(mine, base)
  return differingKeys(stored, mine).filter((key) => theirs.includes(key) && ours.includes(key))
}

interface Choice extends Versions {
  /** The disputed keys that stay as somebody else stored them. */
  readonly theirs: readonly string[]
}

/** Returns both changes in one: what only one of them changed, and of the rest what was chosen. */
export function merged({ base, stored, mine, theirs }: Choice): MonitorCreate {
  const ours = differingKeys(mine, base).filter((key) => !theirs.includes(key))
  return { ...stored, ...Object.fromEntries(ours.map((key) => [key, mine[key]])) }
}
