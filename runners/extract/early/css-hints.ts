import { parse } from 'css-what'
import type { Selector } from 'css-what'
import { ANY, type AttributeHint, type Hint } from './hint.ts'

/**
 * Returns a hint for each element that a selector names, in the order in which they begin in a page: the last one is
 * that for the match. Of a list of selectors nothing is said.
 */
export function cssHints(source: string): readonly [...Hint[], Hint] {
  const [selector, ...others] = parse(source)
  if (selector === undefined || others.length > 0) return [ANY]
  const hints: Hint[] = []
  let parts: Selector[] = []
  for (const part of selector) {
    if (isCombinator(part)) {
      hints.push(hintOf(parts))
      parts = []
    } else parts.push(part)
  }
  return [...hints, hintOf(parts)]
}

const isCombinator = ({ type }: Selector): boolean =>
  type === 'descendant' || type === 'child' || type === 'adjacent' || type === 'sibling'

function hintOf(parts: readonly Selector[]): Hint {
  let name: string | null = null
  const attributes: AttributeHint[] = []
  for (const part of parts) {
    if (part.type === 'tag') name = part.name.toLowerCase()
    else if (part.type === 'attribute' && part.action !== 'not') {
      const isExact = part.action !== 'exists' && part.ignoreCase !== true
      attributes.push({ name: part.name.toLowerCase(), part: isExact ? part.value : null })
    }
  }
  return { name, attributes }
}
