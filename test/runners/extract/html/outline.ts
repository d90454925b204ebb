import type { AnyNode, Element } from 'domhandler'
import { type Token, parse } from 'parse5'
import { adapter } from 'parse5-htmlparser2-tree-adapter'
import { parseHtml } from '../../../../runners/extract/html/html.ts'

/** The attributes of an element: their names with a prefix, their namespaces and their values. */
type Attributes = (element: Element) => readonly (readonly [name: string, namespace: string, value: string])[]

/**
 * Returns a tree as lines, one a node: the names, namespaces and attributes of elements, text, comments, the doctype,
 * and the mode of the document.
 */
function outline(node: AnyNode, attributesOf: Attributes, depth = 0): string[] {
  const indent = ' '.repeat(depth)
  if (!('children' in node)) return [`${indent}${node.type} ${JSON.stringify(node.data)}`]
  const own =
    'attribs' in node
      ? `<${node.name} ${node.namespace}>${attributesOf(node)
          .map((attribute) => JSON.stringify(attribute))
          .sort()
          .join()}`
      : `${node.type} ${'x-mode' in node ? String(node['x-mode']) : ''}`
  return [indent + own, ...node.children.flatMap((child) => outline(child, attributesOf, depth + 1))]
}

/** Returns the outline of the tree of `parseHtml`. Throws where the page exceeds a limit. */
export function ours(text: string): string[] {
  const tree = parseHtml(text)
  if (tree.kind === 'too_complex') throw new Error(tree.excess)
  return outline(tree.document, (element) =>
    Object.entries(element.attribs).map(([name, value]) => [name, element['x-attribsNamespace']?.[name] ?? '', value]),
  )
}

/**
 * Returns the outline of the tree of parse5 with its own adapter for htmlparser2. That adapter keeps one of `href` and
 * `xlink:href`, so the attributes are those that the parser gave it.
 */
export function original(text: string): string[] {
  const given = new Map<Element, readonly Token.Attribute[]>()
  const treeAdapter: typeof adapter = {
    ...adapter,
    createElement(...args) {
      const element = adapter.createElement(...args)
      given.set(element, args[2])
      return element
    },
  }
  const document = parse(text, { scriptingEnabled: false, treeAdapter })
  return outline(document, (element) => {
    const attributes = given.get(element) ?? []
    const own = new Set(attributes.map(({ name }) => name))
    const adopted = Object.entries(element.attribs).filter(([name]) => !own.has(name))
    return [
      ...attributes.map(({ prefix, name, namespace, value }) => {
        return [prefix ? `${prefix}:${name}` : name, namespace ?? '', value] as const
      }),
      ...adopted.map(([name, value]) => [name, '', value] as const),
    ]
  })
}
