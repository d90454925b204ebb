import { prescanJson } from '../../json/prescan-json.ts'
import { isElement, type Tree, textOf } from '../../tree.ts'
import { CANDIDATE_LIMITS } from '../bounds.ts'
import { censusOf } from '../census.ts'

const META = new Set(['product:price:amount', 'og:price:amount'])
const NAMES = ['price', 'lowPrice', 'highPrice']
const MOST = 20
/** Levels of JSON that are read. */
const DEPTH = 12

/** Returns the prices that a page states for search engines: in JSON-LD, as microdata, for Open Graph. */
export function statedPrices(tree: Tree): string[] {
  const found: string[] = []
  for (const node of censusOf(tree).index.all) {
    if (found.length >= MOST) break
    if (!isElement(node)) continue
    const { attribs, name } = node
    if (name === 'script' && /^application\/ld\+json\b/i.test(attribs['type'] ?? ''))
      found.push(...inJson(textOf(node)))
    else if (attribs['itemprop'] === 'price') found.push((attribs['content'] ?? textOf(node)).slice(0, 100))
    else if (META.has(attribs['property'] ?? '')) found.push((attribs['content'] ?? '').slice(0, 100))
  }
  return found.map((price) => price.trim()).filter((price) => /\d/.test(price))
}

function inJson(text: string): string[] {
  if (text.length > CANDIDATE_LIMITS.embeddedJson || prescanJson(text) !== null) return []
  try {
    return pricesIn(JSON.parse(text), DEPTH).slice(0, MOST)
  } catch {
    return []
  }
}

function pricesIn(value: unknown, depth: number): string[] {
  if (depth === 0 || typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
    const isPrice = NAMES.includes(name) && (typeof inner === 'number' || typeof inner === 'string')
    return isPrice ? [String(inner).slice(0, 100)] : pricesIn(inner, depth - 1)
  })
}
