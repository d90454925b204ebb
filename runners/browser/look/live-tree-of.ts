import { isOpaque } from '../../extract/align/align-tree.ts'
import { type LiveTree, markOf } from '../../extract/align/live-tree.ts'
import type { SeenNode } from './snapshot.ts'

/** Returns the elements of a page that are in its HTML, and the index that each of them has. */
export function liveTreeOf(nodes: readonly SeenNode[]): {
  readonly live: LiveTree
  readonly indexes: ReadonlyMap<SeenNode, number>
} {
  const texts = ownTexts(nodes)
  const indexes = new Map<SeenNode, number>()
  const parents: number[] = []
  const tags: string[] = []
  const marks: number[] = []
  for (const node of nodes) {
    if (node.type !== 'element' || node.shadow !== null) continue
    const isTop = node.parent?.type !== 'element'
    const parent = node.parent && indexes.get(node.parent)
    if (!isTop && parent === undefined) continue
    indexes.set(node, tags.length)
    parents.push(isTop ? -1 : (parent ?? -1))
    tags.push(node.tag)
    marks.push(markOf(node.attributes, texts.get(node) ?? ''))
  }
  return { live: { parents, tags, marks }, indexes }
}

function ownTexts(nodes: readonly SeenNode[]): ReadonlyMap<SeenNode, string> {
  const texts = new Map<SeenNode, string>()
  for (const { type, text, parent } of nodes)
    if (type === 'text' && parent && !isOpaque(parent.tag)) texts.set(parent, (texts.get(parent) ?? '') + text)
  return texts
}
