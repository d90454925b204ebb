import type { AnyNode, Element } from 'domhandler'
import { EXTRACT_LIMITS } from '../limits.ts'
import { childrenOf, isElement } from '../tree.ts'
import type { Tree } from '../tree.ts'

/**
 * Elements that users do not read: code, pictures, frames, and content for browsers without scripts. Comments are not
 * elements.
 */
const SKIPPED = new Set(
  'script style noscript template svg math canvas iframe object embed video audio map link meta base datalist'.split(
    ' ',
  ),
)
const BLOCKS = new Set(
  (
    'address article aside blockquote body caption dd details dialog div dl dt fieldset figcaption figure footer ' +
    'form h1 h2 h3 h4 h5 h6 ' +
    'header hr html li main nav ol option p pre section select summary table tbody tfoot thead title tr ul'
  ).split(' '),
)
const HIDING = [
  /display\s*:\s*none/,
  /visibility\s*:\s*(?:hidden|collapse)/,
  /(?:opacity|font-size)\s*:\s*0(?:\.0+)?(?:%|px|r?em|pt)?\s*(?:;|!|$)/,
]
const HIDDEN_STYLE = new RegExp(String.raw`(?:^|;)\s*(?:${HIDING.map(({ source }) => source).join('|')})`, 'i')

/** More than is kept, because white space is collapsed afterwards. Text that would be cut anyway is not collected. */
const MAX_COLLECTED = EXTRACT_LIMITS.promptCharacters * 20

interface Reading {
  /** The number of characters after which no more are collected. Default: what a model can receive. */
  readonly most?: number
  /** Elements that are left out. */
  readonly without?: ReadonlySet<AnyNode>
}

const NONE: ReadonlySet<AnyNode> = new Set()

/**
 * Returns the text of a page as a user reads it: a line for each block, headings and list items marked, the cells of a
 * row separated. Text that is hidden by an attribute or an inline style is left out, as are comments, scripts and
 * alternative texts: attackers put instructions for a model where users do not see them. Feeds and other XML give a
 * line for each element that contains text, with its name.
 */
export function readableText(tree: Tree, { most = MAX_COLLECTED, without = NONE }: Reading = {}): string {
  const out: string[] = []
  let length = 0
  const stack: (AnyNode | string)[] = [...childrenOf(tree.document)].reverse()
  for (let next = stack.pop(); next !== undefined && length < most; next = stack.pop()) {
    const text = typeof next === 'string' ? next : 'data' in next ? (next.type === 'text' ? next.data : '') : ''
    if (text !== '') {
      // JavaScript counts a byte order mark as white space; it is kept. A line break in the source is not a line break
      // on the page. Line breaks of blocks are marked with NUL, which no tree contains.
      out.push(typeof next === 'string' ? next : text.replace(/[^\S\ufeff]+/g, ' '))
      length += text.length
    } else if (typeof next !== 'string' && 'children' in next && !without.has(next)) push(stack, next, tree.kind)
  }
  return out.join('')
}

/** The character that `readableText` writes at the end of a line. */
export const LINE_END = '\0'

function push(stack: (AnyNode | string)[], node: AnyNode, kind: Tree['kind']): void {
  if (!isElement(node)) {
    if (node.type === 'cdata') pushChildren(stack, node)
    return
  }
  if (kind === 'xml') {
    stack.push(LINE_END)
    pushChildren(stack, node)
    stack.push(isLeaf(node) ? `${LINE_END}${node.name}: ` : LINE_END)
    return
  }
  if (SKIPPED.has(node.name) || isHidden(node)) return
  const { before, after } = marksOf(node.name)
  if (after !== '') stack.push(after)
  pushChildren(stack, node)
  if (before !== '') stack.push(before)
}

function pushChildren(stack: (AnyNode | string)[], node: AnyNode): void {
  const children = childrenOf(node)
  for (let i = children.length - 1; i >= 0; i -= 1) {
    const child = children[i]
    if (child !== undefined) stack.push(child)
  }
}

const isLeaf = (node: Element) => !childrenOf(node).some(isElement)

function isHidden({ attribs }: Element): boolean {
  return (
    attribs['hidden'] !== undefined ||
    attribs['aria-hidden']?.toLowerCase() === 'true' ||
    HIDDEN_STYLE.test(attribs['style'] ?? '')
  )
}

function marksOf(name: string): { before: string; after: string } {
  const heading = /^h([1-6])$/.exec(name)?.[1]
  if (heading !== undefined) return { before: `${LINE_END}${'#'.repeat(Number(heading))} `, after: LINE_END }
  if (name === 'li') return { before: `${LINE_END}- `, after: LINE_END }
  if (name === 'td' || name === 'th') return { before: '', after: ' | ' }
  if (name === 'br') return { before: LINE_END, after: '' }
  return BLOCKS.has(name) ? { before: LINE_END, after: LINE_END } : { before: '', after: '' }
}
