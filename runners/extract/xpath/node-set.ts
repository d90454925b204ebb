import { orderOf } from './nodes.ts'
import type { XNode } from './nodes.ts'

/**
 * Returns a node-set of nodes in any order: in document order, each once. It costs one pass when they are already in
 * order.
 */
export function nodeSet(nodes: readonly XNode[]): readonly XNode[] {
  let last = -1
  for (const node of nodes) {
    const order = orderOf(node)
    if (order <= last) return sorted(nodes)
    last = order
  }
  return nodes
}

function sorted(nodes: readonly XNode[]): XNode[] {
  return [...new Set(nodes)].sort((a, b) => orderOf(a) - orderOf(b))
}
