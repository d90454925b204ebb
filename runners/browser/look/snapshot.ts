/** Numbers or texts of some nodes, by the indexes of the nodes. */
interface Rare<T> {
  readonly index: readonly number[]
  readonly value: readonly T[]
}

/** What `DOMSnapshot.captureSnapshot` answers, as far as it is read here. A string is an index of `strings`. */
export interface Snapshot {
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
  const { nodes } = document
  const text = (index: number | undefined): string => strings[index ?? -1] ?? ''
  const layouts = layoutsOf(document.layout, text)
  const shadows = mapOf(nodes.shadowRootType)
  const inputs = mapOf(nodes.inputValue)
  const all: (SeenNode | undefined)[] = []
  const kept: SeenNode[] = []
  const types = nodes.nodeType ?? []
  for (let index = 0; index < types.length && kept.length < most; index += 1) {
    const parentIndex = nodes.parentIndex?.[index] ?? -1
    const parent = all[parentIndex]
    const name = text(nodes.nodeName?.[index])
    const shadow = text(shadows.get(index))
    const isOwn = shadow !== 'user-agent' && !name.startsWith('::')
    if (!isOwn || (parent === undefined && types[index] !== DOCUMENT)) continue
    const node: SeenNode = {
      parent: parent ?? null,
      type: types[index] === ELEMENT ? 'element' : types[index] === TEXT ? 'text' : 'other',
      tag: name.toLowerCase(),
      text: types[index] === TEXT ? text(nodes.nodeValue?.[index]) : '',
      attributes: attributesOf(nodes.attributes?.[index] ?? [], text),
      shadow: shadow === 'open' || shadow === 'closed' ? shadow : null,
      input: text(inputs.get(index)),
      layout: layouts.get(index) ?? null,
    }
    all[index] = node
    kept.push(node)
  }
  return kept
}

const mapOf = <T>(rare: Rare<T> | undefined): Map<number, T> =>
  new Map((rare?.index ?? []).flatMap((index, at) => (rare && at in rare.value ? [[index, rare.value[at] as T]] : [])))

function layoutsOf(
  { nodeIndex, bounds, styles, paintOrders = [] }: Snapshot['documents'][number]['layout'],
  text: (index: number | undefined) => string,
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

function attributesOf(flat: readonly number[], text: (index: number | undefined) => string): Map<string, string> {
  const attributes = new Map<string, string>()
  for (let at = 0; at + 1 < flat.length; at += 2) attributes.set(text(flat[at]), text(flat[at + 1]))
  return attributes
}
