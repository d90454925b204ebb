import type { Element } from 'domhandler'
import { isElement, XHTML } from '../tree.ts'
import type { Tree } from '../tree.ts'
import type { Axis, NodeTest } from './ast.ts'
import type { AttrNode, XNode } from './nodes.ts'

type NameTest = Extract<NodeTest, { kind: 'name' }>

// An HTML page declares no namespaces that its tree contains. These are the ones that an HTML parser assigns itself.
const HTML_PREFIXES: ReadonlyMap<string, string> = new Map([
  ['html', XHTML],
  ['xhtml', XHTML],
  ['svg', 'http://www.w3.org/2000/svg'],
  ['math', 'http://www.w3.org/1998/Math/MathML'],
  ['mathml', 'http://www.w3.org/1998/Math/MathML'],
  ['xlink', 'http://www.w3.org/1999/xlink'],
])
const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace'

/** Returns the namespace of a prefix in this document, or undefined. */
export function namespaceOf(prefix: string, tree: Tree): string | undefined {
  if (prefix === 'xml') return XML_NAMESPACE
  return tree.kind === 'html' ? HTML_PREFIXES.get(prefix) : tree.prefixes.get(prefix)
}

/**
 * Returns a predicate for the nodes that a test selects, for one axis and one document. `*` and names mean attributes
 * on the attribute axis, elements elsewhere.
 */
export function matcher(test: NodeTest, axis: Axis, tree: Tree): (node: XNode) => boolean {
  switch (test.kind) {
    case 'node':
      return () => true
    case 'text':
    case 'comment':
      return (node) => node.type === test.kind
    case 'processing-instruction':
      return (node) => node.type === 'directive' && (test.target === null || node.name === `?${test.target}`)
    case 'name':
      return axis === 'attribute' ? attributeMatcher(test, tree) : elementMatcher(test, tree)
  }
}

function elementMatcher(test: NameTest, tree: Tree): (node: XNode) => boolean {
  const named = tree.kind === 'html' ? htmlElement(test, tree) : xmlElement(test, tree)
  return (node) => node.type !== 'attribute' && isElement(node) && named(node)
}

/**
 * In an HTML document the names of HTML elements ignore case, and an unprefixed name means HTML: `//svg` matches
 * nothing, as in browsers.
 */
function htmlElement(test: NameTest, tree: Tree): (node: Element) => boolean {
  const { prefix, local, lower } = test
  if (prefix === null) return local === null ? () => true : (node) => node.name === lower && isHtml(node)
  const namespace = namespaceOf(prefix, tree)
  if (namespace === undefined) return () => false
  const wanted = namespace === XHTML ? lower : local
  return (node) => (node.namespace ?? XHTML) === namespace && (local === null || node.name === wanted)
}

function isHtml(node: Element): boolean {
  return node.namespace === undefined || node.namespace === XHTML
}

/**
 * In XML an unprefixed name matches what is written without a prefix, in any default namespace: feeds have one, and the
 * author of `<item>` need not know it. A prefix means its namespace. A prefix that an ill-formed feed never declares
 * matches as written.
 */
function xmlElement(test: NameTest, tree: Tree): (node: Element) => boolean {
  const { prefix, local } = test
  if (prefix === null) {
    if (local === null) return () => true
    const fallback = tree.prefixes.get('')
    return (node) =>
      node.name === local || (fallback !== undefined && node.namespace === fallback && localName(node) === local)
  }
  const namespace = namespaceOf(prefix, tree)
  if (namespace === undefined)
    return (node) => node.name.startsWith(`${prefix}:`) && (local === null || localName(node) === local)
  return (node) => node.namespace === namespace && (local === null || localName(node) === local)
}

function attributeMatcher(test: NameTest, tree: Tree): (node: XNode) => boolean {
  const named = attributeNamed(test, tree)
  return (node) => node.type === 'attribute' && named(node)
}

function attributeNamed(test: NameTest, tree: Tree): (node: AttrNode) => boolean {
  const { prefix, local, lower } = test
  if (prefix === null) {
    if (local === null) return () => true
    if (tree.kind === 'xml') return (node) => node.name === local
    return (node) => node.namespace === '' && node.name === (isHtml(node.owner) ? lower : local)
  }
  const namespace = namespaceOf(prefix, tree)
  if (namespace === undefined)
    return (node) => node.name.startsWith(`${prefix}:`) && (local === null || node.name === `${prefix}:${local}`)
  return (node) => node.namespace === namespace && (local === null || node.local === local)
}

function localName(node: Element): string {
  return node.name.slice(node.name.indexOf(':') + 1)
}

/**
 * Returns `name()` of a node: qualified for elements and attributes, the target of a processing instruction, else
 * empty.
 */
export function qualifiedName(node: XNode): string {
  if (node.type === 'attribute' || isElement(node)) return node.name
  return node.type === 'directive' ? node.name.replace(/^\?/, '') : ''
}

export function localNameOf(node: XNode, tree: Tree): string {
  if (node.type === 'attribute') return node.local
  if (isElement(node)) return tree.kind === 'xml' ? localName(node) : node.name
  return qualifiedName(node)
}

export function namespaceUriOf(node: XNode): string {
  if (node.type === 'attribute') return node.namespace
  return isElement(node) ? (node.namespace ?? '') : ''
}
