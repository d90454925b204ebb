import type { AnyNode, Element } from 'domhandler'
import { childrenOf, isElement } from '../tree.ts'
import type { Tree } from '../tree.ts'

/** An attribute as a node. One object per attribute and evaluation, so that node-sets can compare by identity. */
export interface AttrNode {
  readonly type: 'attribute'
  readonly owner: Element
  /** As written, with the prefix. */
  readonly name: string
  readonly local: string
  readonly namespace: string
  readonly value: string
  /** Position in document order: between the owner and its first child. */
  readonly order: number
}

export type XNode = AnyNode | AttrNode

/**
 * All nodes of a tree in document order. `startIndex` and `endIndex`, which the parsers leave unused, store a node's
 * own position and that of its last descendant. So ancestry is two comparisons, `following` and `preceding` are slices,
 * and no node-set needs a tree walk to sort.
 */
export class NodeIndex {
  readonly all: readonly AnyNode[]
  readonly #attributes = new Map<Element, readonly AttrNode[]>()
  #ids: Map<string, Element> | undefined
  readonly #xml: boolean

  constructor(tree: Tree) {
    this.all = numberNodes(tree.document)
    this.#xml = tree.kind === 'xml'
  }

  attributesOf(element: Element): readonly AttrNode[] {
    let found = this.#attributes.get(element)
    if (found === undefined) {
      found = makeAttributes(element, this.#xml)
      this.#attributes.set(element, found)
    }
    return found
  }

  /** Returns the first element with this id: the `id` attribute in HTML, `xml:id` or `id` in XML. */
  byId(id: string): Element | undefined {
    if (this.#ids === undefined) {
      this.#ids = new Map()
      for (const node of this.all) {
        if (!isElement(node)) continue
        const value = (this.#xml ? node.attribs['xml:id'] : undefined) ?? node.attribs['id']
        if (value !== undefined && value !== '' && !this.#ids.has(value)) this.#ids.set(value, node)
      }
    }
    return this.#ids.get(id)
  }
}

export function orderOf(node: XNode): number {
  return node.type === 'attribute' ? node.order : (node.startIndex ?? 0)
}

export function lastOrderOf(node: XNode): number {
  return node.type === 'attribute' ? node.order : (node.endIndex ?? 0)
}

export function parentOf(node: XNode): AnyNode | null {
  return node.type === 'attribute' ? node.owner : node.parent
}

function numberNodes(document: AnyNode): AnyNode[] {
  const all: AnyNode[] = []
  const enter = (node: AnyNode): void => {
    node.startIndex = all.length
    node.endIndex = all.length
    all.push(node)
  }
  const open: { node: AnyNode; children: readonly AnyNode[]; next: number }[] = []
  enter(document)
  open.push({ node: document, children: childrenOf(document), next: 0 })
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const child = top.children[top.next]
    top.next += 1
    if (child === undefined) {
      top.node.endIndex = all.length - 1
      open.pop()
    } else if (child.type !== 'directive' || child.name !== '!doctype') {
      enter(child)
      if ('children' in child) open.push({ node: child, children: childrenOf(child), next: 0 })
    }
  }
  return all
}

function makeAttributes(element: Element, xml: boolean): AttrNode[] {
  const namespaces = element['x-attribsNamespace']
  const attributes: AttrNode[] = []
  const base = orderOf(element)
  for (const name in element.attribs) {
    const namespace = namespaces?.[name] ?? ''
    // A namespace declaration is not an attribute in XPath (§5.3). In HTML `xmlns` is an ordinary attribute.
    if (xml && (name === 'xmlns' || name.startsWith('xmlns:'))) continue
    const local = namespace === '' ? name : name.slice(name.indexOf(':') + 1)
    const order = base + (attributes.length + 1) / 65_536
    attributes.push({
      type: 'attribute',
      owner: element,
      name,
      local,
      namespace,
      value: element.attribs[name] ?? '',
      order,
    })
  }
  return attributes
}
