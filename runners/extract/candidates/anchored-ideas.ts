import type { Element } from 'domhandler'
import { type Anchor, anchorsOf, ancestorsOf, fleetingAnchorsOf } from './anchors.ts'
import { CANDIDATE_LIMITS } from './bounds.ts'
import type { Finder } from './finder.ts'
import type { Idea } from './idea.ts'
import { type Selector, type Step, step } from './selector.ts'
import { pathWords } from './words.ts'

/** The most steps from a named element to one inside it. */
const TAIL = 3
/** Anchors that are tried: each one further away says less. */
const MOST_ANCHORS = 8

/**
 * Returns rules that begin at the nearest element around this one that can be named: one whose steps do not count, and
 * one whose steps do. Where no name lasts, those begin at a name that looks generated.
 */
export function anchoredIdeas(element: Element, finder: Finder): Idea[] {
  const lasting = ideasFrom(anchorsOf(element, finder), element, finder)
  if (lasting.length > 0) return lasting
  const fleeting = ideasFrom(fleetingAnchorsOf(element, finder), element, finder)
  return fleeting.slice(0, 1).map((idea) => ({ ...idea, kind: 'generated' }))
}

function ideasFrom(all: readonly Anchor[], element: Element, finder: Finder): Idea[] {
  const anchors = all.slice(0, MOST_ANCHORS)
  const plain = firstOf(anchors, (anchor) => uncountedTail(element, anchor, finder), anchored)
  const numbered = firstOf(
    anchors,
    (anchor) => countedTail(element, anchor, finder),
    (anchor, tail) => counted(anchor, tail, finder),
  )
  return [...plain, ...numbered]
}

function firstOf(
  anchors: readonly Anchor[],
  tailOf: (anchor: Anchor) => Selector | null,
  ideaOf: (anchor: Anchor, tail: Selector) => Idea,
): Idea[] {
  for (const anchor of anchors) {
    const tail = tailOf(anchor)
    if (tail !== null) return [ideaOf(anchor, tail)]
  }
  return []
}

function anchored(anchor: Anchor, tail: Selector): Idea {
  const what = pathWords(tail)
  return {
    kind: 'anchored',
    path: [anchor.step, ...tail],
    reason: (matches) =>
      matches === 1 ? `the only ${what} in ${anchor.words}` : `the first of ${matches} ${what} in ${anchor.words}`,
  }
}

function counted(anchor: Anchor, tail: Selector, finder: Finder): Idea {
  return {
    kind: 'counted',
    path: [anchor.step, ...tail],
    fitsCss: countsCheaply(tail, finder),
    reason: () => `${pathWords(tail)} in ${anchor.words}, counted: another element before it moves it`,
  }
}

/** Returns whether the engine of CSS may count the siblings of all elements that have the names of these steps. */
export function countsCheaply(steps: Selector, { census }: Finder): boolean {
  const costs = steps.map(({ like, nth }) => (nth === null || like === null ? 0 : census.costOf(like).siblings))
  return costs.reduce((sum, cost) => sum + cost, 0) <= CANDIDATE_LIMITS.ruleCost
}

/** Returns the shortest steps without numbers that lead from an anchor to an element first. */
export function uncountedTail(element: Element, anchor: Anchor, finder: Finder): Selector | null {
  const chain = chainTo(element, anchor.element)
  let tails: Selector[] = [[]]
  for (let length = 1; length <= Math.min(TAIL, chain.length); length += 1) {
    const at = chain.at(-length)
    if (at === undefined) return null
    const isChild = length === chain.length
    const variants = variantsOf(at, finder).slice(0, length === 1 ? 4 : 2)
    tails = tails.flatMap((tail) => variants.map((variant) => linked({ ...variant, isChild }, tail)))
    const working = tails.map((tail) => ({ tail, found: finder.find(tail, anchor.element) }))
    const only = working.find(({ found }) => found?.count === 1 && found.first === element)
    if (only !== undefined) return only.tail
  }
  return null
}

/** Puts a step in front of others, which are children of it then. */
const linked = (before: Step, [first, ...rest]: Selector): Selector =>
  first === undefined ? [before] : [before, { ...first, isChild: true }, ...rest]

/** Returns the elements from below an outer one to an inner one, outermost first. */
function chainTo(inner: Element, outer: Element): Element[] {
  const around = ancestorsOf(inner)
  return [inner, ...around.slice(0, around.indexOf(outer))].toReversed()
}

/** Returns how one step may name an element: by an attribute, by its name, by both. */
function variantsOf(element: Element, finder: Finder): Step[] {
  const named = finder
    .named(element)
    .filter(({ kind }) => kind !== 'generated' && kind !== 'classes' && kind !== 'link')
    // One that is the only one needs no element around it.
    .filter(({ tests: [only] }) => only !== undefined && finder.census.all(only).length > 1)
    .slice(0, 3)
  const byName = step({ like: element })
  return [
    ...named.slice(0, 1).map(({ tests }) => step({ tests })),
    byName,
    ...named.slice(1).map(({ tests }) => step({ tests })),
    ...named.slice(0, 1).map(({ tests }) => step({ like: element, tests })),
  ]
}

/** Returns at most three steps with the numbers that they need, from an anchor to an element. */
function countedTail(element: Element, anchor: Anchor, finder: Finder): Selector | null {
  const chain = chainTo(element, anchor.element)
  const numbered = (one: Element, isChild: boolean): Step => {
    const { nth, of } = finder.census.placeOf(one)
    return step({ like: one, nth: of > 1 ? nth : null, isChild })
  }
  const nearest = chain.slice(-TAIL).map((one, at) => numbered(one, at > 0 || chain.length <= TAIL))
  // Further away, those that are one of several around the element tell most.
  const outer = chain.slice(0, -1).filter((one) => finder.census.placeOf(one).of > 1)
  const some = outer.slice(-MOST_OUTER).map((one) => [numbered(one, false)])
  const pairs = some.flatMap(([one], at) => some.slice(at + 1).map(([other]) => [one, other]))
  const last = numbered(element, false)
  const tails = [
    nearest,
    ...[[], ...some, ...pairs].map((steps) => [...steps.filter((one) => one !== undefined), last]),
  ]
  return tails.find((tail) => finder.find(tail, anchor.element)?.first === element) ?? null
}

/** Elements between an anchor and an element that are tried as steps. */
const MOST_OUTER = 5
