/** Numbers or texts of some nodes, by the indexes of the nodes. */
interface Rare<T> {
  readonly index: readonly number[]
  readonly value: readonly T[]
}

/** What `DOMSnapshot.captureSnapshot` answers, as far as it is read here. A string is an index of `strings`. */
interface Snapshot {
  readonly documents: readonly {
    readonly scrollOffsetX?: number
    readonly scrollOffsetY?: number
    readonly nodes: {
      readonly parentIndex?: readonly number[]
      readonly nodeType?: readonly number[]
      readonly nodeName?: readonly number[]
      readonly nodeValue?: readonly number[]
      readonly attributes?: readonly (readonly number[])[]
      readonly shadowRootType?: Rare<number>
      readonly inputValue?: Rare<number>
    }
    readonly layout: {
      readonly nodeIndex: readonly number[]
      readonly bounds: readonly (readonly number[])[]
      readonly styles: readonly (readonly number[])[]
      readonly paintOrders?: readonly number[]
    }
  }[]
  readonly strings: readonly string[]
}

/** The styles that are asked for, in this order. */
export const STYLES = [
  'visibility',
  'opacity',
  'position',
  'overflow-x',
  'overflow-y',
  'z-index',
  'pointer-events',
] as const
type Style = (typeof STYLES)[number]

/** A rectangle in CSS pixels of the document: its left, top, right and bottom edge. */
export type Edges = readonly [left: number, top: number, right: number, bottom: number]

/** A node of the page's own document. */
export interface SeenNode {
  /** Its parent among the nodes; null: it has none. */
  readonly parent: SeenNode | null
  readonly type: 'element' | 'text' | 'other'
  /** In lower case. */
  readonly tag: string
  /** Of a text. */
  readonly text: string
  readonly attributes: ReadonlyMap<string, string>
  /** It is in a shadow root of this kind. Null: in none. */
  readonly shadow: 'open' | 'closed' | null
  /** What a field of a form holds. */
  readonly input: string
  /** Where it is painted; null: it is not. */
  readonly layout: Layout | null
}

export interface Layout {
  readonly edges: Edges
  readonly order: number
  readonly style: (name: Style) => string
}

const ELEMENT = 1
const TEXT = 3
const DOCUMENT = 9

/**
 * Returns the first nodes of the page's own document, in its order, without those that the browser makes itself, such
 * as the inside of an input and `::before`.
 */
export function nodesOf({ documents, strings }: Snapshot, most: number): readonly SeenNode[] {
  const [document] = documents
  if (!document) return []
  const text: TextOf = (index) => strings[index ?? -1] ?? ''
  const made = nodeMaker(document, text)
  const all: (SeenNode | undefined)[] = []
  const kept: SeenNode[] = []
  const { nodeType: types = [], parentIndex = [] } = document.nodes
  for (let index = 0; index < types.length && kept.length < most; index += 1) {
    const parent = all[parentIndex[index] ?? -1] ?? null
    const node = parent !== null || types[index] === DOCUMENT ? made(index, parent) : null
    if (node === null) continue
    all[index] = node
    kept.push(node)
  }
  return kept
}

type TextOf = (index: number | undefined) => string

/** Returns what makes the nodes of a document. It makes none of what the browser makes itself. */
function nodeMaker({ nodes, layout }: Snapshot['documents'][number], text: TextOf) {
  const layouts = layoutsOf(layout, text)
  const shadows = mapOf(nodes.shadowRootType)
  const inputs = mapOf(nodes.inputValue)
  return (index: number, parent: SeenNode | null): SeenNode | null => {
    const name = text(nodes.nodeName?.[index])
    const shadow = text(shadows.get(index))
    if (shadow === 'user-agent' || name.startsWith('::')) return null
    const type = typeOf(nodes.nodeType?.[index])
    return {
      parent,
      type,
      tag: name.toLowerCase(),
      text: type === 'text' ? text(nodes.nodeValue?.[index]) : '',
      attributes: attributesOf(nodes.attributes?.[index] ?? [], text),
      shadow: shadow === 'open' || shadow === 'closed' ? shadow : null,
      input: text(inputs.get(index)),
      layout: layouts.get(index) ?? null,
    }
  }
}

function typeOf(type: number | undefined): SeenNode['type'] {
  if (type === ELEMENT) return 'element'
  return type === TEXT ? 'text' : 'other'
}

const mapOf = <T>(rare: Rare<T> | undefined): Map<number, T> =>
  new Map((rare?.index ?? []).flatMap((index, at) => (rare && at in rare.value ? [[index, rare.value[at] as T]] : [])))

function layoutsOf(
  { nodeIndex, bounds, styles, paintOrders = [] }: Snapshot['documents'][number]['layout'],
  text: TextOf,
): Map<number, Layout> {
  const layouts = new Map<number, Layout>()
  for (const [at, index] of nodeIndex.entries()) {
    const [x = 0, y = 0, width = 0, height = 0] = bounds[at] ?? []
    // A second box of a node, as of a text that was broken, adds nothing.
    if (layouts.has(index)) continue
    const style = (name: Style): string => text(styles[at]?.[STYLES.indexOf(name)])
    layouts.set(index, { edges: [x, y, x + width, y + height], order: Math.max(0, paintOrders[at] ?? 0), style })
  }
  return layouts
}

function attributesOf(flat: readonly number[], text: TextOf): Map<string, string> {
  const attributes = new Map<string, string>()
  for (let at = 0; at + 1 < flat.length; at += 2) attributes.set(text(flat[at]), text(flat[at + 1]))
  return attributes
}
