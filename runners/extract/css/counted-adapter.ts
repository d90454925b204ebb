import type { Options } from 'css-select'
import type { AnyNode, Element } from 'domhandler'

type Adapter = NonNullable<Options<AnyNode, Element>['adapter']>

/** The steps through a tree that comparisons may still take. Below zero: they were not enough. */
export interface Steps {
  left: number
}

/** Characters of an attribute's value that are compared in the time of a step. */
const CHARACTERS_PER_STEP = 64

/** Null: they are not counted. */
let steps: Steps | null = null

class TooManySteps extends Error {}

function take(count: number): void {
  if (steps === null) return
  steps.left -= count
  if (steps.left < 0) throw new TooManySteps()
}

/**
 * Returns an adapter that counts the nodes and values that selectors visit in `withSteps`. There is one for all uses:
 * with a second one the engine compiles the calls for both, and selectors take a third longer.
 */
export function countedAdapter(adapter: Adapter): Adapter {
  return {
    ...adapter,
    isTag(node): node is Element {
      take(1)
      return adapter.isTag(node)
    },
    getParent(node) {
      take(1)
      return adapter.getParent(node)
    },
    getAttributeValue(element, name) {
      const value = adapter.getAttributeValue(element, name)
      take(1 + Math.floor((value?.length ?? 0) / CHARACTERS_PER_STEP))
      return value
    },
  }
}

/** Runs a query that has a counted adapter. Returns false when its steps were not enough. */
export function withSteps(given: Steps, query: () => boolean): boolean {
  steps = given
  try {
    return query()
  } catch (error) {
    if (error instanceof TooManySteps) return false
    throw error
  } finally {
    steps = null
  }
}
