import type { ParentNode } from 'domhandler'
import { html, InsertionMode, type Parser } from 'parse5'
import type { Htmlparser2TreeAdapterMap } from 'parse5-htmlparser2-tree-adapter'

/** What a parser knows between two tokens. */
export type PageState = Pick<
  Parser<Htmlparser2TreeAdapterMap>,
  'openElements' | 'activeFormattingElements' | 'insertionMode' | 'document'
>

/** With more active formatting elements a page is read to its end: looking at them would take longer. */
const MOST_FORMATTING = 32

/**
 * Returns whether the rest of a page can only add to the end of its tree: no node that it has now moves, and each new
 * one comes behind all of them in document order. Why that is so is told in docs/decisions/0058. The attributes of
 * `<html>` and `<body>`, and a `<frameset>`, are not part of it (`LateTags`).
 *
 * Call it between two tokens.
 */
export function isSettled(page: PageState): boolean {
  const { openElements, insertionMode } = page
  if (openElements.tmplCount > 0) return false
  if (insertionMode === InsertionMode.IN_BODY) {
    if (openElements.tryPeekProperlyNestedBodyElement() === null) return false
    // In a table, what does not belong there is put before it.
    if (openElements.indexOfTopmost(html.TAG_ID.TABLE) !== -1) return false
  } else if (insertionMode !== InsertionMode.IN_HEAD) return false
  return !hasOpenFormatting(page) && isRightEdge(page)
}

/** Of an open formatting element, the end tag may move all that is in it. */
function hasOpenFormatting({ activeFormattingElements, openElements }: PageState): boolean {
  let count = 0
  for (let entry = activeFormattingElements.newest; entry !== null; entry = entry.older) {
    count += 1
    if (count > MOST_FORMATTING || ('element' in entry && openElements.contains(entry.element))) return true
  }
  return false
}

/** Returns whether all open elements are on the right edge of the tree, and the current one is its end. */
function isRightEdge({ openElements, document }: PageState): boolean {
  let slot = openElements.stackTop
  let node: ParentNode | null | undefined = openElements.current
  for (; node && node !== document; node = node.parent) {
    if (node.next !== null) return false
    if (node === openElements.items[slot]) slot = openElements.slotBelow(slot)
  }
  return slot === -1 && node === document
}

/**
 * Returns whether what is added comes into an element: it is open, or on the right edge of the tree below an open one.
 * That it is open is found quickly. The walk through a deep tree would take longer than reading the tag.
 */
export function isOpen(element: ParentNode, { openElements }: Pick<PageState, 'openElements'>): boolean {
  // What was closed may still stand above the top.
  const slot = openElements.items.indexOf(element)
  if (slot !== -1 && slot <= openElements.stackTop) return true
  for (let node: ParentNode | null | undefined = openElements.current; node; node = node.parent)
    if (node === element) return true
  return false
}

/**
 * Finds the tags in the rest of a page that change elements before them, wherever these stand: `<html>` and `<body>`
 * add their attributes, `<frameset>` takes the place of the body. In the head there is no body yet. A script that says
 * such a tag counts like one.
 */
export class LateTags {
  readonly #text: string
  /** By the mode: the next such tag. */
  readonly #next = new Map<RegExp, number>()

  constructor(text: string) {
    this.#text = text
  }

  /** Returns the position of the first one from a position on; Infinity: there is none. */
  from(at: number, isInHead: boolean): number {
    const pattern = isInHead ? IN_HEAD : IN_BODY
    const known = this.#next.get(pattern) ?? -1
    if (known >= at) return known
    pattern.lastIndex = at
    const found = pattern.exec(this.#text)?.index ?? Infinity
    this.#next.set(pattern, found)
    return found
  }
}

const IN_HEAD = /<html/gi
const IN_BODY = /<(?:html|body|frameset)/gi

/** Returns the most tags that a text can have from a position on. It counts what looks like a start tag anywhere. */
export function mostTags(text: string, from: number): number {
  let count = 0
  for (let at = text.indexOf('<', from); at !== -1; at = text.indexOf('<', at + 1)) {
    const letter = text.charCodeAt(at + 1) | 0x20
    if (letter >= 0x61 && letter <= 0x7a) count += 1
  }
  return count
}
