import { parse } from 'css-what'
import type { Selector } from 'css-what'

/** Pseudo-classes that depend on the ancestors of an element, or on the siblings before it. */
const FORWARD_PSEUDOS: ReadonlySet<string> = new Set(['root', 'first-child', 'first-of-type'])
/** The same with an index. `of` is not among them: it has another selector, which is not parsed here. */
const FORWARD_NTH: ReadonlySet<string> = new Set(['nth-child', 'nth-of-type'])
const NTH_OF = /\bof\b/i
/** Pseudo-classes that hold selectors of the element itself. */
const OF_SELECTORS: ReadonlySet<string> = new Set(['is', 'where', 'matches', 'not'])

/**
 * Returns whether a selector is decided by what stands before the content of an element: its name and attributes, those
 * of its ancestors, and those of siblings before it and before its ancestors. Nothing in an element counts, and nothing
 * behind it. What is not known to be so is not: false for a selector that cannot be parsed.
 */
export function isForwardCss(source: string): boolean {
  try {
    return parse(source).every(isForward)
  } catch {
    return false
  }
}

const isForward = (selector: readonly Selector[]): boolean => selector.every(isForwardPart)

function isForwardPart(part: Selector): boolean {
  switch (part.type) {
    case 'universal':
    case 'tag':
    case 'attribute':
    case 'descendant':
    case 'child':
    case 'adjacent':
    case 'sibling':
      return true
    case 'pseudo':
      return isForwardPseudo(part.name, part.data)
    default:
      return false
  }
}

function isForwardPseudo(name: string, data: string | Selector[][] | null): boolean {
  if (data === null) return FORWARD_PSEUDOS.has(name)
  if (typeof data === 'string') return FORWARD_NTH.has(name) && !NTH_OF.test(data)
  return OF_SELECTORS.has(name) && data.every(isForward)
}
