import type { Element } from 'domhandler'
import { childrenOf, isElement } from '../tree.ts'
import { countsCheaply } from './anchored-ideas.ts'
import { anchorAt, ancestorsOf } from './anchors.ts'
import { classesOf } from './classes.ts'
import type { Finder } from './finder.ts'
import { tellsLook } from './generated-name.ts'
import type { Idea } from './idea.ts'
import type { CandidateKind } from './order.ts'
import { positionOf } from './position-idea.ts'
import { type Selector, type Step, step } from './selector.ts'

/** Elements around the element that may be the repeated ones. */
const LEVELS = 8
const LEAST_ITEMS = 2
/** The part of the items in which a list has to find something. */
const LEAST_COVERED = 0.6
/** Selectors that are tried for one repeat. */
const MOST_TRIED = 12

/** Elements of one shape beside each other, and the way from one of them to the element. */
interface Repeat {
  readonly items: readonly Element[]
  readonly item: Element
  /** The elements from below the item to the element; empty: the item is the element. */
  readonly inner: readonly Element[]
}

/** Returns the repeats that an element is part of, nearest first. A row of a table comes before the cells of a row. */
export function repeatsOf(element: Element): Repeat[] {
  const around = [element, ...ancestorsOf(element, LEVELS)]
  const found = around.flatMap((item, level): Repeat[] => {
    const items = alike(item)
    return items.length < LEAST_ITEMS ? [] : [{ items, item, inner: around.slice(0, level).toReversed() }]
  })
  const isCells = ({ item }: Repeat) => /^t[dh]$/.test(item.name)
  return [...found.filter((repeat) => !isCells(repeat)), ...found.filter(isCells)]
}

/** Returns the siblings of an element that have its shape: its name, and a class in common if it has any. */
function alike(item: Element): Element[] {
  if (item.parent === null || item.name === 'body' || item.name === 'head') return []
  const classes = new Set(shapeOf(item))
  return childrenOf(item.parent)
    .filter(isElement)
    .filter((one) => one.name === item.name && one.namespace === item.namespace)
    .filter((one) => (classes.size === 0 ? shapeOf(one).length === 0 : shapeOf(one).some((name) => classes.has(name))))
}

const shapeOf = (element: Element) => classesOf(element).filter((name) => !tellsLook(name))

/** Returns a rule that finds the element in each item of a repeat, and little else; null: none does. */
export function listIdea(element: Element, repeat: Repeat, finder: Finder): Idea | null {
  for (const { kind, path } of selectorsFor(element, repeat, finder).slice(0, MOST_TRIED)) {
    const found = finder.find(path)
    if (found === null || !fits(found.all, element, repeat)) continue
    const noun = repeat.inner.length === 0 ? `${element.name} elements` : `${element.name} elements, one in each item`
    return {
      kind,
      path,
      fitsCss: countsCheaply(path, finder),
      reason: (matches) => `all ${matches} ${noun}`,
    }
  }
  return null
}

/** One match in most items, none outside of them, and the element among them. */
function fits(all: readonly Element[], element: Element, { items }: Repeat): boolean {
  if (all.length < LEAST_ITEMS || !all.includes(element)) return false
  const known = new Set(items)
  const covered = new Set(all.map((one) => itemOf(one, known)))
  if (covered.has(null)) return false
  return covered.size === all.length && covered.size >= items.length * LEAST_COVERED
}

function itemOf(element: Element, items: ReadonlySet<Element>): Element | null {
  if (items.has(element)) return element
  return ancestorsOf(element, LEVELS + 1).find((one) => items.has(one)) ?? null
}

interface Ranked {
  readonly kind: CandidateKind
  readonly path: Selector
}

function selectorsFor(element: Element, { item, inner }: Repeat, finder: Finder): Ranked[] {
  const ownTests = inner.length === 0 ? [] : wide(element, finder)
  const itemTests = wide(item, finder)
  const tail = inner.map((one) => childStep(one, finder))
  const own = wide(element, finder)
  return [
    ...own.filter(({ isGenerated }) => !isGenerated).map(({ kind, one }): Ranked => ({ kind, path: [one] })),
    ...itemTests.flatMap(({ kind, one, isGenerated }): Ranked[] => {
      if (isGenerated) return []
      return [...ownTests.map((test) => test.one), step({ like: element })]
        .filter((last) => inner.length === 1 || last !== undefined)
        .slice(0, 2)
        .map((last) => ({ kind, path: inner.length === 1 ? [one, { ...last, isChild: true }] : [one, ...tail] }))
    }),
    ...parentPaths(item, finder).map(({ kind, path }): Ranked => ({
      kind,
      path: [...path, step({ like: item, isChild: true }), ...tail],
    })),
  ]
}

/** Returns the way to the element around the items: a named one, or from the root. */
function parentPaths(item: Element, finder: Finder): Ranked[] {
  const parent = item.parent
  if (parent === null || !isElement(parent)) return []
  const anchor = [parent, ...ancestorsOf(parent, LEVELS)]
    .map((one) => anchorAt(one, finder))
    .find((one) => one !== null)
  const counted: Ranked = { kind: 'position', path: positionOf(parent, finder) }
  if (anchor === undefined || anchor === null) return [counted]
  const around = [parent, ...ancestorsOf(parent, LEVELS)]
  const between = around.slice(0, around.indexOf(anchor.element)).toReversed()
  const steps = between.map((one) => childStep(one, finder))
  const kind = steps.some(({ nth }) => nth !== null) ? 'counted' : 'anchored'
  return [{ kind, path: [anchor.step, ...steps] }, counted]
}

function childStep(like: Element, { census }: Finder): Step {
  const { nth, of } = census.placeOf(like)
  return step({ like, nth: of > 1 ? nth : null, isChild: true })
}

/** Returns the tests of an element that others of its kind pass as well. */
function wide(element: Element, finder: Finder) {
  return finder
    .named(element)
    .filter(
      ({ tests: [only, ...more] }) => only !== undefined && more.length === 0 && finder.census.all(only).length > 1,
    )
    .map(({ kind, tests }) => ({ kind, one: step({ tests }), isGenerated: kind === 'generated' }))
}
