import { compile, selectAll, selectOne } from 'css-select'
import type { Options } from 'css-select'
import { isTag } from 'domhandler'
import type { AnyNode, Element } from 'domhandler'
import * as DomUtils from 'domutils'
import { byEngine } from '../refused-rule.ts'
import { XHTML, childrenOf, isElement, textOf } from '../tree.ts'
import type { Tree } from '../tree.ts'
import { countedAdapter, type Steps, withSteps } from './counted-adapter.ts'

type CssOptions = Options<AnyNode, Element>
type Query = ReturnType<typeof compile<AnyNode, Element>>

/**
 * css-select lower-cases the names of a selector in HTML, which is right for HTML elements. SVG and MathML keep their
 * capitals in the tree (`viewBox`, `foreignObject`), so those are compared without case. The content of a `<template>`
 * does not count as children, as in browsers.
 */
const HTML_ADAPTER: NonNullable<CssOptions['adapter']> = countedAdapter({
  ...DomUtils,
  isTag,
  getText: textOf,
  getChildren: (node) => childrenOf(node) as AnyNode[],
  getName: (element) => (element.namespace === XHTML ? element.name : element.name.toLowerCase()),
  getAttributeValue: htmlAttribute,
  hasAttrib: (element, name) => htmlAttribute(element, name) !== undefined,
})

/** Returns the value of an attribute by its name in small letters. */
function htmlAttribute(element: Element, name: string): string | undefined {
  return element.attribs[name] ?? foreignAttribute(element, name)
}

function foreignAttribute(element: Element, name: string): string | undefined {
  if (element.namespace === XHTML) return undefined
  for (const key in element.attribs) if (key.toLowerCase() === name) return element.attribs[key]
  return undefined
}

const XML_ADAPTER: NonNullable<CssOptions['adapter']> = countedAdapter({ ...DomUtils, isTag, getText: textOf })

/** Returns the value of an attribute, whose name is compared as a selector compares it. */
export const attributeOf = (element: Element, name: string, { kind }: Tree): string | undefined =>
  kind === 'xml' ? element.attribs[name] : htmlAttribute(element, name.toLowerCase())

/** As in browsers, white space counts as content. css-select follows a draft that no browser implements. */
const PSEUDOS: NonNullable<CssOptions['pseudos']> = {
  empty: (element) =>
    childrenOf(element).every((child) => !isElement(child) && (child.type !== 'text' || child.data === '')),
}

const OPTIONS = {
  html: { adapter: HTML_ADAPTER, relativeSelector: false, pseudos: PSEUDOS },
  quirks: { adapter: HTML_ADAPTER, quirksMode: true, relativeSelector: false, pseudos: PSEUDOS },
  xml: { adapter: XML_ADAPTER, xmlMode: true, relativeSelector: false, pseudos: PSEUDOS },
} satisfies Record<string, CssOptions>

/** A selector, compiled once per kind of document: names differ in quirks mode and in XML. */
export class CompiledCss {
  readonly #source: string
  readonly #queries = new Map<keyof typeof OPTIONS, Query>()
  readonly #uncached = new Map<keyof typeof OPTIONS, (element: Element) => boolean>()

  constructor(source: string) {
    this.#source = source
  }

  /**
   * Returns the first matching element in document order, or null. Throws `RefusedRule` on an unknown selector.
   */
  first(tree: Tree): Element | null {
    const mode = modeOf(tree)
    return selectOne<AnyNode, Element>(this.#query(mode), tree.document, OPTIONS[mode])
  }

  /**
   * Returns whether an element matches, in a tree that may still change. False for a selector that is refused, and when
   * the steps are not enough.
   */
  matches(element: Element, tree: Tree, steps: Steps): boolean {
    const mode = modeOf(tree)
    let query = this.#uncached.get(mode)
    if (query === undefined) {
      query = compiledOrNone(this.#source, mode)
      this.#uncached.set(mode, query)
    }
    const compiled = query
    return withSteps(steps, () => compiled(element))
  }

  /** Returns all matching elements in document order. */
  all(tree: Tree): readonly Element[] {
    const mode = modeOf(tree)
    return selectAll<AnyNode, Element>(this.#query(mode), tree.document, OPTIONS[mode])
  }

  /** Returns the matching descendants of an element, in document order. */
  within(tree: Tree, element: Element): readonly Element[] {
    const mode = modeOf(tree)
    return selectAll<AnyNode, Element>(this.#query(mode), childrenOf(element) as AnyNode[], OPTIONS[mode])
  }

  #query(mode: keyof typeof OPTIONS): Query {
    let query = this.#queries.get(mode)
    if (query === undefined) {
      query = byEngine(() => compile<AnyNode, Element>(this.#source, OPTIONS[mode]))
      this.#queries.set(mode, query)
    }
    return query
  }
}

/** css-select keeps what it finds of ancestors, which is wrong when they get others. */
function compiledOrNone(source: string, mode: keyof typeof OPTIONS): (element: Element) => boolean {
  try {
    return compile<AnyNode, Element>(source, { ...OPTIONS[mode], cacheResults: false })
  } catch {
    return () => false
  }
}

const modeOf = ({ kind, quirks }: Tree) => (kind === 'xml' ? 'xml' : quirks ? 'quirks' : 'html')
