import { LOOK_LIMITS } from '../../../schema/monitor/look-limits.ts'
import type { Unreadable } from '../../../schema/monitor/look.ts'
import type { LiveTree } from '../../extract/align/live-tree.ts'
import { coversOf } from './covers.ts'
import { liveTreeOf } from './live-tree-of.ts'
import { textsOf } from './seen-texts.ts'
import type { Edges, SeenNode } from './snapshot.ts'
import { visibleBoxes, within } from './visible-boxes.ts'

/** An element that a person sees. */
export interface SeenElement {
  readonly box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number }
  readonly order: number
  readonly parent: number | null
  readonly tag: string
  readonly text: string
  /** Its index in the live tree. Null: it is not in it. */
  readonly live: number | null
  readonly unreadable: Unreadable | null
}

export interface PageElements {
  readonly elements: readonly SeenElement[]
  readonly covers: readonly { readonly element: number; readonly share_pct: number }[]
  readonly live: LiveTree
  readonly warnings: readonly string[]
}

/** Rectangles in CSS pixels of the document. */
interface Shown {
  /** What the picture shows. */
  readonly picture: Edges
  /** What the window shows. */
  readonly view: Edges
}

/** These show something without any text. */
const PICTURES: ReadonlySet<string> = new Set(
  'img svg canvas video iframe frame object embed input textarea select button meter progress'.split(' '),
)
const FRAMES: ReadonlySet<string> = new Set(['iframe', 'frame', 'object', 'embed'])

/**
 * Returns the elements that a person sees, of the nodes of a page. What is hidden, outside of the picture, or scrolled
 * out of its box is left out, and of frames and of SVG what is in them. Where there are too many, those nearest to the
 * top are kept.
 */
export function pageElements(nodes: readonly SeenNode[], { picture, view }: Shown): PageElements {
  const boxes = visibleBoxes(nodes)
  const texts = textsOf(nodes, boxes)
  const covers = coversOf(nodes, boxes, view)
  const hosts = closedHosts(nodes, boxes)
  const isDrawn = drawn(nodes)
  const seen = new Map<SeenNode, Edges>()
  for (const node of nodes) {
    if (node.type !== 'element' || node.shadow === 'closed' || isDrawn.has(node)) continue
    const edges = hosts.get(node) ?? boxes.get(node)
    const part = edges ? within(edges, picture) : null
    const isShown = hosts.has(node) || covers.has(node) || PICTURES.has(node.tag) || texts.has(node)
    if (part !== null && isShown) seen.set(node, part)
  }
  const chosen = nearest(seen)
  const places = new Map(chosen.map((node, index) => [node, index]))
  const { live, indexes } = liveTreeOf(nodes)
  const elements = chosen.map((node): SeenElement => ({
    box: boxOf(seen.get(node) ?? picture),
    order: node.layout?.order ?? 0,
    parent: parentOf(node, places),
    tag: node.tag.slice(0, LOOK_LIMITS.tagChars) || 'element',
    text: texts.get(node) ?? '',
    live: indexes.get(node) ?? null,
    unreadable: whyUnreadable(node, hosts),
  }))
  const shares = [...covers].flatMap(([node, share_pct]) => {
    const element = places.get(node)
    return element === undefined ? [] : [{ element, share_pct }]
  })
  return { elements, covers: shares, live, warnings: seen.size > chosen.length ? [tooMany(seen.size)] : [] }
}

function whyUnreadable(node: SeenNode, hosts: ReadonlyMap<SeenNode, Edges>): Unreadable | null {
  if (node.shadow === 'open') return 'shadow_root'
  if (hosts.has(node)) return 'closed_shadow_root'
  if (FRAMES.has(node.tag)) return 'frame'
  return node.tag === 'canvas' ? 'canvas' : null
}

/** Returns the nodes in an SVG. */
function drawn(nodes: readonly SeenNode[]): ReadonlySet<SeenNode> {
  const found = new Set<SeenNode>()
  for (const node of nodes) if (node.parent && (node.parent.tag === 'svg' || found.has(node.parent))) found.add(node)
  return found
}

/** Returns the elements with a closed shadow root that shows something, with what it and its host show together. */
function closedHosts(nodes: readonly SeenNode[], boxes: ReadonlyMap<SeenNode, Edges>): ReadonlyMap<SeenNode, Edges> {
  const hosts = new Map<SeenNode, Edges>()
  for (const node of nodes) {
    const box = boxes.get(node)
    if (node.shadow !== 'closed' || box === undefined) continue
    let host = node.parent
    while (host !== null && host.shadow === 'closed') host = host.parent
    if (host !== null) hosts.set(host, around(box, hosts.get(host) ?? boxes.get(host)))
  }
  return hosts
}

const around = (one: Edges, other: Edges | undefined): Edges =>
  other
    ? [Math.min(one[0], other[0]), Math.min(one[1], other[1]), Math.max(one[2], other[2]), Math.max(one[3], other[3])]
    : one

/** Returns as many as are listed, in the order of the document. */
function nearest(seen: ReadonlyMap<SeenNode, Edges>): readonly SeenNode[] {
  const all = [...seen.keys()]
  if (all.length <= LOOK_LIMITS.elements) return all
  const tops = [...seen].sort(([, one], [, other]) => one[1] - other[1] || one[0] - other[0])
  const kept = new Set(tops.slice(0, LOOK_LIMITS.elements).map(([node]) => node))
  return all.filter((node) => kept.has(node))
}

function parentOf({ parent }: SeenNode, places: ReadonlyMap<SeenNode, number>): number | null {
  for (let around = parent; around !== null; around = around.parent) {
    const place = places.get(around)
    if (place !== undefined) return place
  }
  return null
}

const rounded = (value: number): number => Math.round(value * 10) / 10

const boxOf = ([left, top, right, bottom]: Edges) => ({
  x: rounded(left),
  y: rounded(top),
  width: rounded(right - left),
  height: rounded(bottom - top),
})

const tooMany = (count: number): string =>
  `The page shows ${count.toLocaleString('en')} elements; the ${LOOK_LIMITS.elements.toLocaleString('en')} nearest ` +
  'to its top are listed.'
