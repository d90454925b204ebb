import type { AnyNode, Document, Element } from 'domhandler'

/**
 * A parsed page: one tree for both CSS and XPath. HTML is parsed as a browser without scripts does (parse5,
 * `<noscript>` as elements). XML is the document as sent, with namespaces resolved.
 */
export interface Tree {
  readonly document: Document
  readonly kind: 'html' | 'xml'
  /** HTML without a doctype for standards mode: class and id selectors ignore case there, as in browsers. */
  readonly quirks: boolean
  /** Prefix → namespace, as the document declares them (the first declaration of a prefix counts). */
  readonly prefixes: ReadonlyMap<string, string>
  /** The characters of HTML that were read, where that was enough. Absent: all. */
  readonly readTo?: number
  /** By rule: its first match, where reading stopped for it. Absent: all of the page was read. */
  readonly firsts?: Map<object, Element>
}

export const XHTML = 'http://www.w3.org/1999/xhtml'

export function isElement(node: AnyNode): node is Element {
  return node.type === 'tag' || node.type === 'script' || node.type === 'style'
}

/** Returns the children in the tree. The content of a `<template>` is a separate document, as in browsers. */
export function childrenOf(node: AnyNode): readonly AnyNode[] {
  if (!('children' in node)) return []
  const [first] = node.children
  return first !== undefined && first.type === 'root' ? [] : node.children
}

/**
 * `textContent`: the text of all descendants, without comments. It uses its own stack, so depth cannot exhaust the call
 * stack.
 */
export function textOf(node: AnyNode): string {
  if ('data' in node) return node.data
  let text = ''
  const stack: AnyNode[] = [...childrenOf(node)].reverse()
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (next.type === 'text') text += next.data
    else if ('children' in next)
      for (let i = next.children.length - 1; i >= 0; i -= 1) pushChild(stack, next.children[i])
  }
  return text
}

function pushChild(stack: AnyNode[], child: AnyNode | undefined): void {
  if (child !== undefined && child.type !== 'root') stack.push(child)
}
