import { Element } from 'domhandler'
import type { Document } from 'domhandler'
import { html, parse } from 'parse5'
import type { Token } from 'parse5'
import { adapter } from 'parse5-htmlparser2-tree-adapter'
import type { Htmlparser2TreeAdapterMap } from 'parse5-htmlparser2-tree-adapter'

import { dictionary } from './dictionary.ts'
import type { Tree } from './tree.ts'

const NO_PREFIXES: ReadonlyMap<string, string> = new Map()

/** The attributes of an element that has none. Most have none, and a dictionary each is the dearest part of a tree. */
const NO_ATTRIBUTES: Record<string, string> = Object.freeze(dictionary<string>())

/**
 * The stock adapter with two changes: attributes keep their prefix in their name, so that `href` and `xlink:href` of an SVG element are two; and
 * the tables that most elements do not need are not made.
 */
const TREE_ADAPTER: typeof adapter = {
  ...adapter,
  createElement(tagName, namespaceURI, attrs) {
    const node = new Element(tagName, attributesOf(attrs), [])
    node.namespace = namespaceURI
    if (namespaceURI !== html.NS.HTML) node['x-attribsNamespace'] = namespacesOf(attrs)
    return node
  },
  adoptAttributes(recipient, attrs) {
    const attribs = attributesOf(attrs)
    for (const name in recipient.attribs) attribs[name] = recipient.attribs[name] ?? ''
    recipient.attribs = attribs
  },
}

function attributesOf(attrs: readonly Token.Attribute[]): Record<string, string> {
  if (attrs.length === 0) return NO_ATTRIBUTES
  const attribs = dictionary<string>()
  for (const { name, prefix, value } of attrs) attribs[prefix ? `${prefix}:${name}` : name] = value
  return attribs
}

function namespacesOf(attrs: readonly Token.Attribute[]): Record<string, string> {
  const namespaces = dictionary<string>()
  for (const { name, prefix, namespace } of attrs) {
    if (namespace !== undefined) namespaces[prefix ? `${prefix}:${name}` : name] = namespace
  }
  return namespaces
}

/** Parses HTML as a browser without scripts does: `<noscript>` holds elements. Never throws on any text. */
export function parseHtml(text: string): Tree {
  const document: Document = parse<Htmlparser2TreeAdapterMap>(text, {
    scriptingEnabled: false,
    treeAdapter: TREE_ADAPTER,
  })
  return { document, kind: 'html', quirks: document['x-mode'] === 'quirks', prefixes: NO_PREFIXES }
}
