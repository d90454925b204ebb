import type { AnyNode, Element } from 'domhandler'
import { childrenOf, isElement } from '../tree.ts'
import type { Tree } from '../tree.ts'

/**
 * Returns the element at a path: indexes of element children, beginning at the root element, which has the empty path.
 * Null: the document has no such element.
 */
export function elementAt(tree: Tree, path: readonly number[]): Element | null {
  let current = elementsIn(tree.document)[0] ?? null
  for (const index of path) {
    if (current === null) return null
    current = elementsIn(current)[index] ?? null
  }
  return current
}

/** Returns the path of an element. */
export function pathOf(element: Element): number[] {
  const path: number[] = []
  for (let at = element; at.parent !== null && isElement(at.parent); at = at.parent)
    path.unshift(elementsIn(at.parent).indexOf(at))
  return path
}

const elementsIn = (node: AnyNode): Element[] => childrenOf(node).filter(isElement)
