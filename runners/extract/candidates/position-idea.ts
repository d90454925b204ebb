import type { Element } from 'domhandler'
import { EXTRACT_LIMITS } from '../limits.ts'
import { countsCheaply } from './anchored-ideas.ts'
import { ancestorsOf } from './anchors.ts'
import type { Finder } from './finder.ts'
import type { Idea } from './idea.ts'
import { type Selector, step, toCss, toXPath } from './selector.ts'
import { xpathNameOf } from './xpath-name.ts'

/** Returns the steps from the root of the document to an element. */
export function positionOf(element: Element, { census }: Finder): Selector {
  const chain = [element, ...ancestorsOf(element, EXTRACT_LIMITS.depth + 2)].toReversed()
  return chain.map((one) => {
    const { nth, of } = census.placeOf(one)
    return step({ like: one, nth: of > 1 ? nth : null, isChild: true })
  })
}

/**
 * Returns the rule that counts from the root. It always exists: where the path is too long for a rule, the element is
 * counted among all of its name.
 */
export function positionIdea(element: Element, finder: Finder): Idea {
  const path = positionOf(element, finder)
  const isShort = toXPath(path, finder.tree).length <= EXTRACT_LIMITS.ruleLength
  return {
    kind: 'position',
    path: isShort ? path : `(//${xpathNameOf(element, finder.tree)})[${placeAmongAll(element, finder)}]`,
    fitsCss: countsCheaply(path, finder) && toCss(path).length <= EXTRACT_LIMITS.ruleLength,
    reason: () => 'its place in the page, counted from the root: any change of the page may move it',
  }
}

const placeAmongAll = (element: Element, { census }: Finder) => census.all(element).indexOf(element) + 1
