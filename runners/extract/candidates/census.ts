import type { AnyNode, Element } from 'domhandler'
import { isElement } from '../tree.ts'
import type { Tree } from '../tree.ts'
import { nodeIndexOf } from '../xpath/compile.ts'
import type { NodeIndex } from '../xpath/nodes.ts'
import { CANDIDATE_LIMITS } from './bounds.ts'
import { classesOf } from './classes.ts'
import type { Test } from './selector.ts'

/** What an engine looks at for all elements of a name: siblings before them, nodes and characters in them. */
interface Cost {
  siblings: number
  nodes: number
  text: number
}

/** Attributes that tests of a page use to find an element. */
export const TEST_IDS = ['data-testid', 'data-test-id', 'data-test', 'data-qa', 'data-cy', 'data-automation-id']
/** Attributes that say which content an element has, or how it belongs to another one. */
export const CONTENT_ATTRIBUTES = ['name', 'property', 'role', 'rel', 'for', 'headers']

const COUNTED = new Set(['itemprop', 'aria-label', 'href', ...TEST_IDS, ...CONTENT_ATTRIBUTES])

/** Returns whether values of an attribute are counted, and may be in a selector. */
export const isCounted = (name: string): boolean => COUNTED.has(name) || /^data-[a-z][\w.-]*$/.test(name)

/** What a document has, counted in one walk, so that a selector that cannot work is not tried. */
export class Census {
  readonly index: NodeIndex
  readonly #tallies = new Map<string, Element[]>()
  readonly #values = new Map<string, Set<string>>()
  readonly #place: Int32Array
  readonly #last = new Map<Element['parent'], Map<string, number>>()
  readonly #costs = new Map<string, Cost>()
  /** Characters of text before each node. */
  readonly #textBefore: Float64Array

  constructor(tree: Tree) {
    this.index = nodeIndexOf(tree)
    const { all } = this.index
    this.#place = new Int32Array(all.length)
    this.#textBefore = new Float64Array(all.length + 1)
    const children = new Map<AnyNode['parent'], number>()
    for (const [at, node] of all.entries()) {
      const before = children.get(node.parent) ?? 0
      children.set(node.parent, before + 1)
      const length = node.type === 'text' ? node.data.length : 0
      this.#textBefore[at + 1] = (this.#textBefore[at] ?? 0) + length
      if (isElement(node)) {
        this.#count(node)
        // An engine that counts looks at every sibling before the element.
        this.#costOf(node).siblings += before + 1
      }
    }
    for (const node of all) if (isElement(node)) this.#addCost(node)
  }

  /** Returns the elements that pass a test, or that have the name of an element, in document order. */
  all(of: Test | Element): readonly Element[] {
    return this.#tallies.get('attribs' in of ? nameKey(of) : testKey(of)) ?? NO_ELEMENTS
  }

  /** Returns whether an attribute has few values on this page. */
  hasFewValues(attribute: string): boolean {
    return (this.#values.get(attribute)?.size ?? 0) <= CANDIDATE_LIMITS.dataValues
  }

  /** Returns the number of an element among siblings of its name, from 1, and how many there are. */
  placeOf(element: Element): { readonly nth: number; readonly of: number } {
    return {
      nth: this.#place[orderOf(element)] ?? 1,
      of: this.#last.get(element.parent)?.get(element.name) ?? 1,
    }
  }

  /** Returns what an engine looks at to count siblings of all elements of a name, or to read their texts. */
  costOf(element: Element): Readonly<Cost> {
    return this.#costOf(element)
  }

  textLength(element: Element): number {
    const from = this.#textBefore[orderOf(element)] ?? 0
    return (this.#textBefore[(element.endIndex ?? 0) + 1] ?? from) - from
  }

  /** Returns the number of nodes below an element. */
  size(element: Element): number {
    return (element.endIndex ?? 0) - orderOf(element)
  }

  #count(element: Element): void {
    const siblings = this.#last.get(element.parent) ?? new Map<string, number>()
    const nth = (siblings.get(element.name) ?? 0) + 1
    siblings.set(element.name, nth)
    this.#last.set(element.parent, siblings)
    this.#place[orderOf(element)] = nth
    this.#add(nameKey(element), element)
    for (const value of classesOf(element)) this.#add(testKey({ kind: 'class', value }), element)
    for (const name in element.attribs) this.#countAttribute(element, name)
  }

  #countAttribute(element: Element, name: string): void {
    const value = element.attribs[name] ?? ''
    if (name === 'id') {
      if (value !== '' && value.length <= CANDIDATE_LIMITS.nameLength)
        this.#add(testKey({ kind: 'id', value }), element)
      return
    }
    if (!isCounted(name)) return
    this.#add(testKey({ kind: 'attribute', name, value: null }), element)
    if (value.length > CANDIDATE_LIMITS.nameLength) return
    this.#add(testKey({ kind: 'attribute', name, value }), element)
    const values = this.#values.get(name) ?? new Set()
    if (values.size <= CANDIDATE_LIMITS.dataValues) values.add(value)
    this.#values.set(name, values)
  }

  #add(key: string, element: Element): void {
    const known = this.#tallies.get(key)
    if (known === undefined) this.#tallies.set(key, [element])
    else known.push(element)
  }

  #addCost(element: Element): void {
    const cost = this.#costOf(element)
    cost.nodes += this.size(element)
    cost.text += this.textLength(element)
  }

  #costOf(element: Element): Cost {
    const key = nameKey(element)
    let cost = this.#costs.get(key)
    if (cost === undefined) {
      cost = { siblings: 0, nodes: 0, text: 0 }
      this.#costs.set(key, cost)
    }
    return cost
  }
}

const NO_ELEMENTS: readonly Element[] = []

const orderOf = (element: Element) => element.startIndex ?? 0
const nameKey = ({ name, namespace }: Element) => `n${name}\0${namespace ?? ''}`

function testKey(test: Test): string {
  if (test.kind === 'id') return `#${test.value}`
  if (test.kind === 'class') return `.${test.value}`
  if (test.kind === 'link') return `>${test.value}`
  return test.value === null ? `[${test.name}` : `[${test.name}\0${test.value}`
}

const CENSUSES = new WeakMap<Tree, Census>()

/** Returns the census of a tree. It is taken once. */
export function censusOf(tree: Tree): Census {
  let census = CENSUSES.get(tree)
  if (census === undefined) {
    census = new Census(tree)
    CENSUSES.set(tree, census)
  }
  return census
}
