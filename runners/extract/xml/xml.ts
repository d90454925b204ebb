import { Text } from 'domhandler'
import type { AnyNode, ChildNode, Element, ParentNode } from 'domhandler'
import { parseDocument } from 'htmlparser2'
import { dictionary } from '../dictionary.ts'
import type { TooComplex } from '../too-complex.ts'
import { isElement } from '../tree.ts'
import type { Tree } from '../tree.ts'
import { prescanXml } from './prescan-xml.ts'

const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace'

type Scope = ReadonlyMap<string, string>

/**
 * Parses XML, even when it is not well-formed, as with many feeds: htmlparser2 in XML mode closes what was left open
 * and continues. It expands the five entities of XML and character references, never declared entities, and loads
 * nothing, so neither entity bombs nor external entities work. Namespaces are resolved here. CDATA becomes text, and
 * adjacent text becomes one node, as XPath requires.
 */
export function parseXml(text: string): Tree | TooComplex {
  const excess = prescanXml(text)
  if (excess !== null) return { kind: 'too_complex', excess }
  const document = parseDocument(withoutDoctype(text), { xmlMode: true, decodeEntities: true })
  const prefixes = new Map<string, string>()
  const stack: { node: ParentNode; scope: Scope }[] = [{ node: document, scope: new Map([['xml', XML_NAMESPACE]]) }]
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    top.node.children = mergeText(top.node)
    for (let i = top.node.children.length - 1; i >= 0; i -= 1) {
      const child = top.node.children[i]
      if (child !== undefined && isElement(child)) stack.push({ node: child, scope: resolve(child, top.scope) })
    }
    if (isElement(top.node)) remember(top.node, prefixes)
  }
  return { document, kind: 'xml', quirks: false, prefixes }
}

/**
 * Removes the document type declaration with its internal subset. Entity declarations are not read, and their text is
 * not content.
 */
function withoutDoctype(text: string): string {
  const start = /^(?:\s|<\?[^>]*>|<!--(?:[^-]|-(?!->))*-->)*<!DOCTYPE/i.exec(text.slice(0, 4_096))
  if (start === null) return text
  const from = start[0].length
  const subset = text.indexOf('[', from)
  const close = text.indexOf('>', from)
  if (subset === -1 || close < subset) return close === -1 ? text : text.slice(0, from - 9) + text.slice(close + 1)
  const end = /\]\s*>/.exec(text.slice(subset))
  return end === null ? text : text.slice(0, from - 9) + text.slice(subset + end.index + end[0].length)
}

function mergeText(parent: ParentNode): ChildNode[] {
  if (
    parent.children.every((child) => child.type !== 'cdata' && (child.type !== 'text' || child.prev?.type !== 'text'))
  )
    return parent.children
  const merged: ChildNode[] = []
  for (const child of parent.children) {
    const text = child.type === 'text' ? child.data : child.type === 'cdata' ? cdataText(child) : null
    const last = merged.at(-1)
    if (text !== null && last !== undefined && last.type === 'text') last.data += text
    else merged.push(text === null || child.type === 'text' ? child : new Text(text))
  }
  for (const [i, child] of merged.entries()) {
    child.parent = parent
    child.prev = merged[i - 1] ?? null
    child.next = merged[i + 1] ?? null
  }
  return merged
}

function cdataText(node: ParentNode): string {
  return node.children.map((child: AnyNode) => ('data' in child ? child.data : '')).join('')
}

function* declarations(element: Element): Generator<[prefix: string, uri: string]> {
  for (const name in element.attribs) {
    if (name === 'xmlns') yield ['', element.attribs[name] ?? '']
    else if (name.startsWith('xmlns:')) yield [name.slice(6), element.attribs[name] ?? '']
  }
}

/** The first declaration of a prefix counts. */
function remember(element: Element, prefixes: Map<string, string>): void {
  for (const [prefix, uri] of declarations(element)) if (!prefixes.has(prefix)) prefixes.set(prefix, uri)
}

/** Sets the namespaces of an element and its attributes. Returns the scope for its children. */
function resolve(element: Element, outer: Scope): Scope {
  const declared = [...declarations(element)]
  const scope = declared.length === 0 ? outer : new Map([...outer, ...declared])
  const namespace = scope.get(prefixOf(element.name))
  if (namespace !== undefined && namespace !== '') element.namespace = namespace
  let namespaces: Record<string, string> | undefined
  for (const name in element.attribs) {
    const uri = name.includes(':') ? scope.get(prefixOf(name)) : undefined
    if (uri !== undefined) (namespaces ??= dictionary<string>())[name] = uri
  }
  if (namespaces !== undefined) element['x-attribsNamespace'] = namespaces
  return scope
}

function prefixOf(name: string): string {
  const colon = name.indexOf(':')
  return colon === -1 ? '' : name.slice(0, colon)
}
