import type { AnyNode, Document, Element } from 'domhandler'

/**
 * A parsed page: one tree that CSS and XPath both see. HTML is what a browser's inspector shows without scripts
 * (parse5, `<noscript>` as elements); XML is what the feed says, with namespaces resolved.
 */
export interface Tree {
  readonly document: Document
  readonly kind: 'html' | 'xml'
  /** HTML without a doctype that asks for standards: class and id selectors ignore case there, as in browsers. */
  readonly quirks: boolean
  /** Prefix → namespace, as the document declares them (the first declaration of a prefix counts). */
  readonly prefixes: ReadonlyMap<string, string>
}

export const XHTML = 'http://www.w3.org/1999/xhtml'

export function isElement(node: AnyNode): node is Element {
  return node.type === 'tag' || node.type === 'script' || node.type === 'style'
}

/** The children that belong to the tree: the content of a `<template>` is a document of its own, as in browsers. */
export function childrenOf(node: AnyNode): readonly AnyNode[] {
  if (!('children' in node)) return []
  const [first] = node.children
  return first !== undefined && first.type === 'root' ? [] : node.children
}

/**
 * `textContent`: the text of all descendants, without comments. Walks with a stack of its own, so depth cannot exhaust
 * the call stack.
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
