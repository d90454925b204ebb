import type { Element } from 'domhandler'
import type { Json } from '../../../schema/shape/json.ts'
import { childrenOf, isElement, type Tree } from '../tree.ts'
import { microdataValue } from './microdata-value.ts'
import { NamedValues } from './named-values.ts'
import { elementsIn, type PageElements } from './page-elements.ts'
import { LEFT_OUT, STRUCTURED_LIMITS } from './structured-limits.ts'

/** An item of microdata: its type (a list where it has several), its id, and its properties by name. */
export type MicrodataItem = {
  readonly type?: Json
  readonly id?: string
  readonly properties: { readonly [name: string]: Json }
}

interface Microdata {
  readonly items: readonly MicrodataItem[]
  readonly warnings: readonly string[]
}

/**
 * Returns the items of a page that are in no other item, in document order. An item that is a property of nothing is
 * one of them.
 */
export function microdataOf(tree: Tree, elements: PageElements, baseUrl: string): Microdata {
  return new MicrodataReader(tree, elements, baseUrl).read()
}

/** The page has more of it than is read. */
class Excess extends Error {}

const words = (text = ''): string[] => text.split(/\s+/).filter((word) => word !== '')

class MicrodataReader {
  readonly #elements: PageElements
  readonly #baseUrl: string
  /** Only of a page with `itemref`. */
  readonly #byId: ReadonlyMap<string, Element>
  readonly #places: ReadonlyMap<Element, number>
  readonly #seen = new Set<Element>()
  /** The items that are being read, from the outermost one. */
  readonly #open = new Set<Element>()
  readonly #warnings = new Set<string>()
  #count = 0
  #steps = 0
  #chars = 0

  constructor(tree: Tree, elements: PageElements, baseUrl: string) {
    this.#elements = elements
    this.#baseUrl = baseUrl
    const byId = new Map<string, Element>()
    const places = new Map<Element, number>()
    if (elements.hasReferences) {
      for (const element of elementsIn(tree.document)) {
        places.set(element, places.size)
        const id = element.attribs['id']
        if (id !== undefined && !byId.has(id)) byId.set(id, element)
      }
    }
    this.#byId = byId
    this.#places = places
  }

  read(): Microdata {
    const found: (MicrodataItem | null)[] = this.#elements.items.map(() => null)
    try {
      // Items that are a property may belong to an item further down, through itemref.
      for (const isProperty of [false, true]) this.#readTop(found, isProperty)
    } catch (error) {
      if (!(error instanceof Excess)) throw error
      this.#warnings.add(LEFT_OUT.microdata)
    }
    return { items: found.filter((item) => item !== null), warnings: [...this.#warnings] }
  }

  #readTop(found: (MicrodataItem | null)[], isProperty: boolean): void {
    for (const [at, element] of this.#elements.items.entries()) {
      if ((element.attribs['itemprop'] !== undefined) === isProperty && !this.#seen.has(element))
        found[at] = this.#item(element)
    }
  }

  #item(element: Element): MicrodataItem {
    this.#count += 1
    if (this.#count > STRUCTURED_LIMITS.microdataItems) throw new Excess()
    this.#seen.add(element)
    this.#open.add(element)
    const properties = new NamedValues()
    for (const property of this.#propertiesOf(element)) {
      const value = this.#valueOf(property)
      if (value !== undefined)
        for (const name of new Set(words(property.attribs['itemprop']))) properties.add(name, value)
    }
    this.#open.delete(element)
    const types = words(element.attribs['itemtype'])
    const id = element.attribs['itemid']?.trim()
    return {
      ...(types.length > 0 && { type: types.length === 1 ? (types[0] ?? '') : types }),
      ...(id && { id }),
      properties: properties.toObject(),
    }
  }

  /** Returns the value of a property; undefined: it is left out. */
  #valueOf(property: Element): Json | undefined {
    if (property.attribs['itemscope'] === undefined) {
      const room = STRUCTURED_LIMITS.microdataChars - this.#chars
      const value = microdataValue(property, { baseUrl: this.#baseUrl, room })
      if (value === null) throw new Excess()
      this.#chars += value.length
      return value
    }
    if (this.#open.has(property)) {
      this.#warnings.add(LEFT_OUT.cycle)
      return undefined
    }
    if (this.#open.size >= STRUCTURED_LIMITS.microdataDepth) throw new Excess()
    return this.#item(property)
  }

  /** Returns the elements of an item with `itemprop`, in document order: those in it, and those that it refers to. */
  #propertiesOf(item: Element): readonly Element[] {
    const referred = words(item.attribs['itemref']).flatMap((id) => this.#byId.get(id) ?? [])
    const stack = referred.toReversed()
    pushChildren(stack, item)
    const walked = new Set<Element>([item])
    const found: Element[] = []
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      this.#steps += 1
      if (this.#steps > STRUCTURED_LIMITS.microdataSteps) throw new Excess()
      if (walked.has(next)) continue
      walked.add(next)
      if (words(next.attribs['itemprop']).length > 0) found.push(next)
      if (next.attribs['itemscope'] === undefined) pushChildren(stack, next)
    }
    const place = (element: Element) => this.#places.get(element) ?? 0
    return referred.length === 0 ? found : found.toSorted((one, other) => place(one) - place(other))
  }
}

/** The first child comes off the stack first. One by one: an element may have more children than a call arguments. */
function pushChildren(stack: Element[], element: Element): void {
  const children = childrenOf(element)
  for (let at = children.length - 1; at >= 0; at -= 1) {
    const child = children[at]
    if (child !== undefined && isElement(child)) stack.push(child)
  }
}
