import type { Element } from 'domhandler'
import { isElement, type Tree, textOf } from '../../tree.ts'
import { censusOf } from '../census.ts'

/** An element with little text, which a person sees as one thing. */
export interface VisibleText {
  readonly element: Element
  /** With white space collapsed. */
  readonly text: string
}

const UNSEEN = new Set('script style noscript template head option textarea svg math iframe'.split(' '))
/** A price may stand in several elements: one for the sign, one for the cents. */
const MOST_NODES = 12
/** Elements with a short text that are looked at. */
const MOST = 5_000

/** Returns the elements with a text of at most so many characters, in document order. */
export function visibleTexts(tree: Tree, most: number): VisibleText[] {
  const census = censusOf(tree)
  const { all } = census.index
  const found: VisibleText[] = []
  for (let at = 0; at < all.length && found.length < MOST; at += 1) {
    const node = all[at]
    if (node === undefined || !isElement(node)) continue
    if (isUnseen(node)) {
      at = node.endIndex ?? at
      continue
    }
    const length = census.textLength(node)
    if (length === 0 || census.size(node) > MOST_NODES || length > most * SLACK) continue
    const text = textOf(node).replace(/\s+/g, ' ').trim()
    if (text !== '' && text.length <= most) found.push({ element: node, text })
  }
  return found
}

/** White space in the source of a page. */
const SLACK = 6

export function isUnseen({ name, attribs }: Element): boolean {
  if (UNSEEN.has(name) || attribs['hidden'] !== undefined || attribs['aria-hidden'] === 'true') return true
  return /display\s*:\s*none|visibility\s*:\s*hidden/i.test((attribs['style'] ?? '').slice(0, 1_000))
}
