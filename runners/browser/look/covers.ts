import { LOOK_LIMITS } from '../../../schema/monitor/look-limits.ts'
import type { Edges, SeenNode } from './snapshot.ts'
import { within } from './visible-boxes.ts'

/**
 * Returns the elements that stay in front of the page and cover much of the view, such as a cookie wall, with their
 * share of it in percent. Of those inside each other the outermost counts.
 */
export function coversOf(
  nodes: readonly SeenNode[],
  boxes: ReadonlyMap<SeenNode, Edges>,
  view: Edges,
): ReadonlyMap<SeenNode, number> {
  const covers = new Map<SeenNode, number>()
  const isCovered = new Set<SeenNode>()
  for (const node of nodes) {
    if (node.parent && (covers.has(node.parent) || isCovered.has(node.parent))) {
      isCovered.add(node)
      continue
    }
    const box = boxes.get(node)
    if (box === undefined || node.shadow === 'closed' || !isInFront(node)) continue
    const share = (100 * areaOf(within(box, view))) / areaOf(view)
    if (share > LOOK_LIMITS.coverPct) covers.set(node, Math.min(100, Math.round(share * 10) / 10))
    if (covers.size >= LOOK_LIMITS.covers) break
  }
  return covers
}

function isInFront({ type, tag, layout }: SeenNode): boolean {
  if (type !== 'element' || layout === null || tag === 'html' || tag === 'body') return false
  // What lets the pointer through is seldom more than a frame for something else.
  if (layout.style('pointer-events') === 'none') return false
  const position = layout.style('position')
  if (position === 'fixed' || position === 'sticky') return true
  return position === 'absolute' && Number(layout.style('z-index')) > 0
}

const areaOf = (edges: Edges | null): number => (edges ? (edges[2] - edges[0]) * (edges[3] - edges[1]) : 0)
