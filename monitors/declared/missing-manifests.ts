import { mostPruned, PRUNE_LIMIT } from '../../schema/config/prune-limit.ts'

/** Records whose manifests are gone, and what else is known of their folder. */
export interface Missing {
  /** The resources, sorted. */
  readonly resources: readonly string[]
  /** Records that the folder declared before, with these. */
  readonly declared: number
  /** A manifest of the folder was refused. */
  readonly hasFaults: boolean
}

/**
 * What becomes of them: they are deleted; they stay as they are until a later look; they go on and belong to the API,
 * because that is how it is set (`release`), or because they are too many at once (`too_many`).
 */
export type MissingFate = 'delete' | 'wait' | 'release' | 'too_many'

/**
 * Returns what decides about records whose manifests are gone. A manifest that was refused may be a new name of one
 * that is gone, so nothing is deleted beside it. What is gone has to be the same for some time first: files that vanish
 * one by one are judged together. `now`: milliseconds of a clock that only goes forward.
 */
export function createPruning(isOn: boolean, now: () => number): (missing: Missing) => MissingFate {
  let seen: { readonly text: string; readonly at: number } | undefined
  return ({ resources, declared, hasFaults }) => {
    if (!isOn) return 'release'
    const text = JSON.stringify(resources)
    if (seen?.text !== text) seen = { text, at: now() }
    if (resources.length === 0) return 'wait'
    if (hasFaults || now() - seen.at < PRUNE_LIMIT.goneMs) return 'wait'
    return resources.length > mostPruned(declared) ? 'too_many' : 'delete'
  }
}
