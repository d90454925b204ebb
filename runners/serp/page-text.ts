import { type AnyNode, type Element } from 'domhandler'
import { childrenOf, isElement } from '../extract/tree.ts'
import { parentOf } from './page-query.ts'

const UNSEEN = new Set(['script', 'style', 'noscript', 'template', 'svg', 'math', 'select', 'textarea'])
const BLOCKS = new Set(['div', 'p', 'br', 'li', 'tr', 'td', 'table', 'ul', 'ol', 'h1', 'h2', 'h3', 'h4', 'section'])
const HIDDEN = /(?:^|;)\s*display\s*:\s*none/i

/** Returns whether an element says itself that it is not shown. */
const isHidden = ({ attribs }: Element): boolean =>
  'hidden' in attribs || (attribs['style'] !== undefined && HIDDEN.test(attribs['style']))

/** Returns whether an element, or one around it, says so. */
export function isInHidden(element: Element): boolean {
  for (let next: Element | null = element; next !== null; next = parentOf(next)) if (isHidden(next)) return true
  return false
}

/**
 * Returns the visible text of an element on one line, without the given parts of it. It is cut at `most` characters.
 */
export function visibleText(element: Element, unread: ReadonlySet<AnyNode>, most: number): string {
  let text = ''
  const stack: AnyNode[] = [...childrenOf(element)].reverse()
  // White space is folded at the end, so more is read than is kept.
  for (let next = stack.pop(); next !== undefined && text.length < most * 4; next = stack.pop()) {
    if (next.type === 'text') text += next.data
    else if (isElement(next)) {
      if (UNSEEN.has(next.name) || unread.has(next) || isHidden(next)) continue
      if (BLOCKS.has(next.name)) text += ' '
      stack.push(...[...childrenOf(next)].reverse())
    }
  }
  return tidy(text, most)
}

/** Marks that engines put into texts, and that are not seen. */
const INVISIBLE = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g

function tidy(text: string, most: number): string {
  const folded = text
    .replace(INVISIBLE, '')
    .replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ')
    .trim()
  return folded.length <= most
    ? folded.toWellFormed()
    : `${folded
        .slice(0, most - 1)
        .toWellFormed()
        .trimEnd()}…`
}
