import type { Element } from 'domhandler'
import { textOf } from '../tree.ts'
import { CANDIDATE_LIMITS } from './bounds.ts'
import type { Finder } from './finder.ts'

/** Nodes in an element that is a label alone. */
const LABEL_NODES = 12
/** Elements with the text of a label, of which the first one counts. */
const SAME_LABELS = 20
/** White space may be most of what an element has. */
const MOST_CHARACTERS = CANDIDATE_LIMITS.labelLength * 3

/** White space as XPath collapses it, which keeps a no-break space. */
const normalized = (text: string) => text.replace(/[ \t\r\n]+/g, ' ').replace(/^ | $/g, '')

/** Returns the text of an element as `normalize-space()` gives it; null: it is too long, or has no words. */
export function shortText(label: Element, { census }: Finder): string | null {
  if (census.size(label) > LABEL_NODES || census.textLength(label) > MOST_CHARACTERS) return null
  const text = normalized(textOf(label))
  return text.length > CANDIDATE_LIMITS.labelLength || !/\p{L}{2}/u.test(text) ? null : text
}

/** Returns whether few elements have the text of a label, and an engine finds them in little time. */
export function isRare(label: Element, text: string, { census }: Finder): boolean {
  const { nodes, text: characters } = census.costOf(label)
  if (nodes > CANDIDATE_LIMITS.ruleCost || characters > CANDIDATE_LIMITS.ruleCost) return false
  let count = 0
  for (const one of census.all(label)) {
    if (census.size(one) > LABEL_NODES || census.textLength(one) > MOST_CHARACTERS) continue
    if (normalized(textOf(one)) === text) count += 1
    if (count > SAME_LABELS) return false
  }
  return true
}
