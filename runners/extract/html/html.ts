import { Element } from 'domhandler'
import type { ParentNode } from 'domhandler'
import { html, Parser } from 'parse5'
import type { Token } from 'parse5'
import { adapter } from 'parse5-htmlparser2-tree-adapter'
import type { Htmlparser2TreeAdapterMap } from 'parse5-htmlparser2-tree-adapter'
import { dictionary } from '../dictionary.ts'
import { EXTRACT_LIMITS } from '../limits.ts'
import { TOO_MUCH } from '../too-complex.ts'
import type { TooComplex } from '../too-complex.ts'
import type { Tree } from '../tree.ts'
import { EarlyStop } from './early-stop.ts'
import { StretchTokenizer } from './html-tokenizer.ts'
import { treeOf } from './html-tree.ts'
import type { Sought } from './sought.ts'

/**
 * The attributes of an element that has none. Most have none, and a dictionary for each is the most expensive part of a
 * tree. All these elements share it, so nothing may be added to it.
 */
const NO_ATTRIBUTES: Readonly<Record<string, string>> = Object.freeze(dictionary<string>())

/**
 * The stock adapter with two changes. Attributes keep their prefix in their name, so that `href` and `xlink:href` of an
 * SVG element are two. The tables that most elements do not need are not created.
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
    if (attrs.length === 0) return
    const attribs = Object.assign(dictionary<string>(), recipient.attribs)
    // Only a second `<html>` or `<body>` comes here. Its attributes have no prefix, and those of the first tag count.
    for (const { name, value } of attrs) attribs[name] ??= value
    recipient.attribs = attribs
  },
}

function attributesOf(attrs: readonly Token.Attribute[]): Readonly<Record<string, string>> {
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

class Excess extends Error {}

/** `<html>` and `<body>` are open in every page, even when they are not written. */
const ALWAYS_OPEN = 2

/**
 * parse5 that stops where a page exceeds a limit: nested elements would take quadratic time. It also stops where all
 * that it is read for is known, and the rest of the page cannot change it.
 */
class PageParser extends Parser<Htmlparser2TreeAdapterMap> {
  #tags = 0
  readonly #stop: EarlyStop | null = null

  constructor(text: string, sought: Sought | null) {
    super({ scriptingEnabled: false, treeAdapter: TREE_ADAPTER })
    // A NUL becomes a different character in each state. Such pages are rare, so the original tokenizer reads them.
    if (text.includes('\0')) return
    const tokenizer = new StretchTokenizer(this)
    this.tokenizer = tokenizer
    if (sought) this.#stop = new EarlyStop(text, sought, tokenizer)
  }

  /** Returns the tree of the page, or of its beginning where that has all that is sought. */
  tree(): Tree {
    return this.#stop?.tree ?? treeOf(this.document)
  }

  get current(): ParentNode | undefined {
    return this.openElements.current
  }

  override onItemPush(node: ParentNode, tagId: number, isTop: boolean): void {
    if (this.openElements.stackTop >= EXTRACT_LIMITS.depth + ALWAYS_OPEN) throw new Excess(TOO_MUCH.depth)
    super.onItemPush(node, tagId, isTop)
  }

  override onStartTag(token: Token.TagToken): void {
    this.#tags += 1
    if (this.#tags > EXTRACT_LIMITS.tags) throw new Excess(TOO_MUCH.tags)
    if (token.attrs.length > EXTRACT_LIMITS.attributesPerTag) throw new Excess(TOO_MUCH.attributes)
    super.onStartTag(token)
    this.#stop?.see(token, this)
  }

  onTagEnd(at: number): void {
    this.#stop?.look(at, this)
  }

  /**
   * Drops what refers to the tree beside the parser. A closure that did kept the trees of many pages until the next
   * full collection, and doubled the time of each.
   */
  forget(): void {
    this.#stop?.forget()
  }
}

/**
 * Parses HTML as a browser without scripts does: `<noscript>` contains elements. Never throws on any text.
 *
 * @param sought what alone is read of the tree, which may then end early
 */
export function parseHtml(text: string, sought: Sought | null = null): Tree | TooComplex {
  // The standard calls this normalizing newlines.
  const normal = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
  try {
    const parser = new PageParser(normal, sought)
    parser.tokenizer.write(normal, true)
    const tree = parser.tree()
    parser.forget()
    return tree
  } catch (error) {
    if (error instanceof Excess) return { kind: 'too_complex', excess: error.message }
    throw error
  }
}
