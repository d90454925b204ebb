import type { Element } from 'domhandler'
import { isElement } from '../tree.ts'
import { CANDIDATE_LIMITS } from './bounds.ts'
import { namesContent } from './content-names.ts'
import type { Finder } from './finder.ts'
import type { NamedTest } from './named-tests.ts'
import { type Step, step, type Test } from './selector.ts'
import { shown } from './shown.ts'
import { testWords } from './words.ts'

/** An element around another one that can be named by itself. */
export interface Anchor {
  readonly element: Element
  readonly step: Step
  /** For a reason: `the element with the id main`. */
  readonly words: string
}

/** Names of which every page has one. */
const ROOTS = new Set(['html', 'head', 'body'])

/** Returns the elements around an element, nearest first. */
export function ancestorsOf(element: Element, most: number = CANDIDATE_LIMITS.ancestors): Element[] {
  const found: Element[] = []
  for (let up = element.parent; up !== null && isElement(up) && found.length < most; up = up.parent) found.push(up)
  return found
}

/** Returns the elements around an element, nearest first, that are the only ones with a name that lasts. */
export function anchorsOf(element: Element, finder: Finder): Anchor[] {
  return ancestorsOf(element).flatMap((around) => anchorAt(around, finder) ?? [])
}

/** Returns those that are the only ones with a name that looks generated. */
export function fleetingAnchorsOf(element: Element, finder: Finder): Anchor[] {
  return ancestorsOf(element).flatMap((around) => {
    const test = onlyTest(around, finder, ({ kind }) => kind === 'generated')
    return test === null ? [] : [anchor(around, test)]
  })
}

/** Returns how an element can be named by itself, if it can. */
export function anchorAt(element: Element, finder: Finder): Anchor | null {
  if (ROOTS.has(element.name)) return null
  const test = onlyTest(element, finder, ({ kind }) => kind !== 'generated' && kind !== 'link')
  if (test !== null) return anchor(element, test)
  if (finder.census.all(element).length !== 1 || !namesContent(element)) return null
  return { element, step: step({ like: element }), words: `the only ${shown(element.name)} element` }
}

const anchor = (element: Element, test: Test): Anchor => ({
  element,
  step: step({ tests: [test] }),
  words: `the element with ${testWords(test)}`,
})

function onlyTest(element: Element, finder: Finder, isWanted: (named: NamedTest) => boolean): Test | null {
  for (const named of finder.named(element).filter(isWanted)) {
    const [only, ...more] = named.tests
    if (only !== undefined && more.length === 0 && finder.census.all(only).length === 1) return only
  }
  return null
}
