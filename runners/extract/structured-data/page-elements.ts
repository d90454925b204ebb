import type { Element } from 'domhandler'
import { childrenOf, isElement, type Tree } from '../tree.ts'

/** The elements of a page that may state something for machines, in document order. */
export interface PageElements {
  readonly jsonLd: readonly Element[]
  /** Scripts of other JSON, with their ids. */
  readonly scripts: readonly (readonly [id: string, script: Element])[]
  readonly metas: readonly Element[]
  /** Elements with `itemscope`. */
  readonly items: readonly Element[]
  /** An item has `itemref`. */
  readonly hasReferences: boolean
  /** The `href` of the first `<base>`; null: there is none. */
  readonly base: string | null
}

/** Finds them in one walk. */
export function elementsOf(tree: Tree): PageElements {
  const jsonLd: Element[] = []
  const scripts: (readonly [string, Element])[] = []
  const metas: Element[] = []
  const items: Element[] = []
  let hasReferences = false
  let base: string | null = null
  for (const element of elementsIn(tree.document)) {
    const { attribs, name } = element
    if (name === 'meta') metas.push(element)
    else if (name === 'script') {
      const type = mediaTypeOf(attribs['type'] ?? '')
      if (type === 'application/ld+json') jsonLd.push(element)
      else if (/[/+]json$/.test(type) && attribs['id']) scripts.push([attribs['id'], element])
    } else if (name === 'base') base ??= attribs['href'] ?? null
    if (attribs['itemscope'] === undefined) continue
    items.push(element)
    if (attribs['itemref'] !== undefined) hasReferences = true
  }
  return { jsonLd, scripts, metas, items, hasReferences, base }
}

const mediaTypeOf = (type: string) => type.split(';', 1)[0]?.trim().toLowerCase() ?? ''

/** Yields the elements in a node in document order, without using the call stack. */
export function* elementsIn(node: Tree['document'] | Element): Generator<Element> {
  const stack = [...childrenOf(node)].reverse()
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (!isElement(next)) continue
    yield next
    const children = childrenOf(next)
    for (let at = children.length - 1; at >= 0; at -= 1) {
      const child = children[at]
      if (child !== undefined) stack.push(child)
    }
  }
}
