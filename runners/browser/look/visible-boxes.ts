import type { Edges, Layout, SeenNode } from './snapshot.ts'

/** How the children of a node are shown. */
interface Inherited {
  /** Nothing of it is seen, whatever the children say. */
  readonly isGone: boolean
  /** What children outside of this are cut off at; null: nothing. */
  readonly clip: Edges | null
  /** The same for children with an absolute position: that of the nearest node that is not static. */
  readonly clipOfPlaced: Edges | null
}

const AT_ROOT: Inherited = { isGone: false, clip: null, clipOfPlaced: null }

/**
 * Returns the part of each node that shows, where one does: what is hidden, has no size, or is scrolled out of the box
 * around it is left out.
 */
export function visibleBoxes(nodes: readonly SeenNode[]): ReadonlyMap<SeenNode, Edges> {
  const boxes = new Map<SeenNode, Edges>()
  const inherited = new Map<SeenNode, Inherited>()
  for (const node of nodes) {
    const from = (node.parent && inherited.get(node.parent)) ?? AT_ROOT
    const { layout } = node
    if (layout === null) {
      inherited.set(node, from)
      continue
    }
    const position = node.type === 'element' ? layout.style('position') : 'static'
    const clip = position === 'fixed' ? null : position === 'absolute' ? from.clipOfPlaced : from.clip
    const isGone = from.isGone || layout.style('opacity') === '0'
    const box = clip === null ? layout.edges : within(layout.edges, clip)
    if (!isGone && box !== null && hasSize(box) && layout.style('visibility') === 'visible') boxes.set(node, box)
    const ofChildren = clipOf(node, layout, clip)
    inherited.set(node, {
      isGone,
      clip: ofChildren,
      clipOfPlaced: position === 'static' ? from.clipOfPlaced : ofChildren,
    })
  }
  return boxes
}

/** What is cut off of the children of a node. The overflow of the whole page is scrolled, and not cut. */
function clipOf({ type, tag }: SeenNode, { style, edges }: Layout, clip: Edges | null): Edges | null {
  if (type !== 'element' || tag === 'html' || tag === 'body') return clip
  if (style('overflow-x') === 'visible' && style('overflow-y') === 'visible') return clip
  return clip === null ? edges : (within(edges, clip) ?? NOWHERE)
}

const NOWHERE: Edges = [0, 0, 0, 0]

/** Returns the part of a rectangle that is within another one; null: there is none. */
export function within(one: Edges, other: Edges): Edges | null {
  const left = Math.max(one[0], other[0])
  const top = Math.max(one[1], other[1])
  const right = Math.min(one[2], other[2])
  const bottom = Math.min(one[3], other[3])
  return right > left && bottom > top ? [left, top, right, bottom] : null
}

const hasSize = ([left, top, right, bottom]: Edges): boolean => right - left >= 1 && bottom - top >= 1
