import type { AnyNode } from 'domhandler'
import { childrenOf, isElement } from '../tree.ts'
import type { Axis } from './ast.ts'
import { lastOrderOf, orderOf, parentOf } from './nodes.ts'
import type { NodeIndex, XNode } from './nodes.ts'

const REVERSE = new Set<Axis>(['ancestor', 'ancestor-or-self', 'parent', 'preceding', 'preceding-sibling'])

export function isReverse(axis: Axis): boolean {
  return REVERSE.has(axis)
}

/**
 * Returns the nodes of an axis from one node, in the order of the axis. Reverse axes run backwards, so that `[1]` is
 * the nearest.
 */
export function walk(axis: Axis, node: XNode, index: NodeIndex): readonly XNode[] {
  switch (axis) {
    case 'self':
      return [node]
    case 'parent':
      return ancestors(node).slice(0, 1)
    case 'ancestor':
      return ancestors(node)
    case 'ancestor-or-self':
      return [node, ...ancestors(node)]
    case 'attribute':
      return node.type !== 'attribute' && isElement(node) ? index.attributesOf(node) : []
    case 'namespace':
      // Browsers have no namespace nodes either.
      return []
    case 'child':
      return node.type === 'attribute' ? [] : childNodes(node)
    case 'following-sibling':
      return siblings(node).slice(siblingIndex(node) + 1)
    case 'preceding-sibling':
      return siblings(node).slice(0, siblingIndex(node)).reverse()
    default:
      return sliced(axis, node, index)
  }
}

function sliced(axis: Axis, node: XNode, index: NodeIndex): readonly XNode[] {
  if (axis === 'descendant')
    return node.type === 'attribute' ? [] : index.all.slice(orderOf(node) + 1, lastOrderOf(node) + 1)
  if (axis === 'descendant-or-self')
    return node.type === 'attribute' ? [node] : index.all.slice(orderOf(node), lastOrderOf(node) + 1)
  if (axis === 'following') return index.all.slice(Math.floor(lastOrderOf(node)) + 1)
  return preceding(node, index)
}

/** Returns all nodes that ended before the node began: the earlier ones without the ancestors. */
function preceding(node: XNode, index: NodeIndex): XNode[] {
  const before: XNode[] = []
  const self = node.type === 'attribute' ? node.owner : node
  const start = orderOf(self)
  for (let i = start - 1; i >= 0; i -= 1) {
    const candidate = index.all[i]
    if (candidate !== undefined && lastOrderOf(candidate) < start) before.push(candidate)
  }
  return before
}

function ancestors(node: XNode): AnyNode[] {
  const found: AnyNode[] = []
  for (let up = parentOf(node); up !== null; up = up.parent) found.push(up)
  return found
}

function childNodes(node: AnyNode): readonly AnyNode[] {
  const children = childrenOf(node)
  return node.type === 'root'
    ? children.filter((child) => child.type !== 'directive' || child.name !== '!doctype')
    : children
}

function siblings(node: XNode): readonly AnyNode[] {
  return node.type === 'attribute' || node.parent === null ? [] : childNodes(node.parent)
}

function siblingIndex(node: XNode): number {
  return node.type === 'attribute' ? 0 : siblings(node).indexOf(node)
}
