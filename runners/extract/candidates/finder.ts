import type { Element } from 'domhandler'
import { isElement } from '../tree.ts'
import type { Tree } from '../tree.ts'
import { Budget, CANDIDATE_LIMITS } from './bounds.ts'
import { type Census, censusOf } from './census.ts'
import { type NamedTest, namedTests } from './named-tests.ts'
import { passes, type Selector, type Step } from './selector.ts'

/** The elements that a selector finds. */
interface Found {
  readonly count: number
  readonly first: Element
  readonly all: readonly Element[]
}

/** Finds elements by the steps of a selector, within a budget. An engine judges what is offered in the end. */
export class Finder {
  readonly tree: Tree
  readonly census: Census
  readonly #named = new Map<Element, readonly NamedTest[]>()
  readonly #budget = new Budget(CANDIDATE_LIMITS.comparisons)

  constructor(tree: Tree) {
    this.tree = tree
    this.census = censusOf(tree)
  }

  /** Returns the ways in which an element is named by its attributes. They are found once. */
  named(element: Element): readonly NamedTest[] {
    let tests = this.#named.get(element)
    if (tests === undefined) {
      tests = namedTests(element, this.census)
      this.#named.set(element, tests)
    }
    return tests
  }

  /**
   * Returns what a path of steps finds below an element, or in the whole document. Null: nothing, or the budget is used
   * up.
   */
  find(steps: Selector, within: Element | null = null): Found | null {
    const last = steps.at(-1)
    if (last === undefined) return null
    const from = within === null ? 0 : (within.startIndex ?? 0) + 1
    const to = within === null ? Infinity : (within.endIndex ?? 0)
    const pool = this.#fewest(last)
    const start = firstFrom(pool, from)
    const found: Element[] = []
    for (let at = start; at < pool.length; at += 1) {
      const element = pool[at]
      if (element === undefined || (element.startIndex ?? 0) > to) break
      if (!this.#budget.spend(steps.length)) return null
      if (this.#matches(element, { steps, at: steps.length - 1, within })) found.push(element)
    }
    const [first] = found
    return first === undefined ? null : { count: found.length, first, all: found }
  }

  /** Returns the fewest elements among which are all that pass a step. */
  #fewest({ like, tests }: Step): readonly Element[] {
    const lookedUp = tests.filter(({ kind }) => kind !== 'link')
    const pools = [...(like === null ? [] : [like]), ...lookedUp].map((one) => this.census.all(one))
    return pools.reduce((fewest, pool) => (pool.length < fewest.length ? pool : fewest), pools[0] ?? [])
  }

  #matches(element: Element, { steps, at, within }: Match): boolean {
    const one = steps[at]
    if (one === undefined || !this.#passes(one, element)) return false
    if (at === 0) return !one.isChild || element.parent === within || (within === null && parentOf(element) === null)
    let around = parentOf(element)
    while (around !== null && around !== within) {
      if (this.#matches(around, { steps, at: at - 1, within })) return true
      if (one.isChild || !this.#budget.spend(1)) return false
      around = parentOf(around)
    }
    return false
  }

  #hasLink(element: Element, value: string): boolean {
    const links = this.census.all({ kind: 'attribute', name: 'href', value })
    const first = links[firstFrom(links, (element.startIndex ?? 0) + 1)]
    return first !== undefined && (first.startIndex ?? 0) <= (element.endIndex ?? 0)
  }

  #passes(one: Step, element: Element): boolean {
    if (!passes(one, element)) return false
    if (!one.tests.every((test) => test.kind !== 'link' || this.#hasLink(element, test.value))) return false
    return one.nth === null || this.census.placeOf(element).nth === one.nth
  }
}

interface Match {
  readonly steps: Selector
  readonly at: number
  readonly within: Element | null
}

const parentOf = ({ parent }: Element): Element | null => (parent !== null && isElement(parent) ? parent : null)

/** Returns the index of the first element that begins at a node or behind it. Elements are in document order. */
function firstFrom(pool: readonly Element[], from: number): number {
  let [low, high] = [0, pool.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((pool[middle]?.startIndex ?? 0) < from) low = middle + 1
    else high = middle
  }
  return low
}
