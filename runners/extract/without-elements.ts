import type { AnyNode, ParentNode } from 'domhandler'
import type { CompiledCss } from './css/css.ts'
import type { Tree } from './tree.ts'

/** Returns the elements of a tree that any of the selectors matches. */
export const matchesOf = (selectors: readonly CompiledCss[], tree: Tree): ReadonlySet<AnyNode> =>
  new Set(selectors.flatMap((selector) => selector.all(tree)))

/**
 * Removes elements from their tree. Rules then see the page as if it never had them: also rules that count elements.
 * The work is linear: removing 100,000 siblings one by one would not be.
 */
export function removeElements(elements: ReadonlySet<AnyNode>): void {
  const parents = new Set<ParentNode>()
  for (const { parent } of elements) if (parent) parents.add(parent)
  for (const parent of parents)
    relink(
      parent,
      parent.children.filter((child) => !elements.has(child)),
    )
}

function relink(parent: ParentNode, children: ParentNode['children']): void {
  parent.children = children
  for (const [nth, child] of children.entries()) {
    child.prev = children[nth - 1] ?? null
    child.next = children[nth + 1] ?? null
  }
}
