import type { Element } from 'domhandler'
import { CompiledCss } from '../extract/css/css.ts'
import { isElement, type Tree } from '../extract/tree.ts'

const compiled = new Map<string, CompiledCss>()

function compile(selector: string): CompiledCss {
  let query = compiled.get(selector)
  if (query === undefined) {
    query = new CompiledCss(selector)
    compiled.set(selector, query)
  }
  return query
}

/** Asks a page with the selectors of a table. They are compiled once for all pages. */
export class PageQuery {
  readonly tree: Tree
  readonly #sets = new Map<readonly string[], ReadonlySet<Element>>()

  constructor(tree: Tree) {
    this.tree = tree
  }

  /** Returns what any of the selectors matches, in document order. */
  all(selectors: readonly string[]): readonly Element[] {
    return selectors.length === 0 ? [] : compile(selectors.join(', ')).all(this.tree)
  }

  /** The same as a set, which is found once. */
  set(selectors: readonly string[]): ReadonlySet<Element> {
    let found = this.#sets.get(selectors)
    if (found === undefined) {
      found = new Set(this.all(selectors))
      this.#sets.set(selectors, found)
    }
    return found
  }

  /** Returns the first selector that matches anything, with its first match; null: none does. */
  first(selectors: readonly string[]): { readonly selector: string; readonly element: Element } | null {
    for (const selector of selectors) {
      const element = compile(selector).first(this.tree)
      if (element) return { selector, element }
    }
    return null
  }

  /** Returns what the first of the selectors that matches anything inside of an element matches there. */
  firstWithin(element: Element, selectors: readonly string[]): readonly Element[] {
    for (const selector of selectors) {
      const found = compile(selector).within(this.tree, element)
      if (found.length > 0) return found
    }
    return []
  }
}

/** Returns the nearest of an element and its ancestors that is in the set; null: none is. */
export function closest(element: Element, set: ReadonlySet<Element>): Element | null {
  for (let next: Element | null = element; next !== null; next = parentOf(next)) if (set.has(next)) return next
  return null
}

export function parentOf({ parent }: Element): Element | null {
  return parent !== null && isElement(parent) ? parent : null
}
