import type { Element, ParentNode } from 'domhandler'
import type { ExtractConfig } from '../../../schema/monitor/extract-config.ts'
import { LOOK_LIMITS } from '../../../schema/monitor/look-limits.ts'
import { elementsOf } from '../align/align-tree.ts'
import { compileRules } from '../compiled.ts'
import { parseMarkup } from '../on-tree.ts'
import type { Page } from '../page.ts'
import { isElement, type Tree } from '../tree.ts'
import { runXPath } from '../xpath/compile.ts'
import { isNodes } from '../xpath/values.ts'
import type { FieldMatches } from './match-reader.ts'

/** Returns the elements that rules of css and xpath match. Other methods match none. */
export function findMatches(page: Page, config: ExtractConfig): readonly FieldMatches[] {
  if (config.method !== 'css' && config.method !== 'xpath') return []
  const parsed = parseMarkup(page)
  if (!parsed.ok) return []
  const matched = matchedBy(parsed.tree, config)
  const placeOf = placer()
  return matched.map(([name, elements]) => ({
    name,
    count: elements.length,
    paths: elements.slice(0, LOOK_LIMITS.matches).flatMap((element) => {
      const path = pathOf(element, placeOf)
      return path ? [path] : []
    }),
  }))
}

function matchedBy(tree: Tree, config: ExtractConfig): readonly (readonly [name: string, readonly Element[]])[] {
  const compiled = compileRules(config)
  if (compiled.method === 'css') return compiled.fields.map(([name, { rule }]) => [name, rule.all(tree)])
  if (compiled.method !== 'xpath') return []
  return compiled.fields.map(([name, { rule }]) => {
    const value = runXPath(rule, tree)
    return [
      name,
      isNodes(value) ? value.flatMap((node) => (node.type !== 'attribute' && isElement(node) ? [node] : [])) : [],
    ]
  })
}

/** Returns the index of an element among the elements of its parent. */
type PlaceOf = (element: Element, parent: ParentNode) => number

/** Returns what counts the elements of each parent once, for all matches: there may be very many of both. */
function placer(): PlaceOf {
  const known = new Map<ParentNode, ReadonlyMap<Element, number>>()
  return (element, parent) => {
    const places = known.get(parent) ?? new Map(elementsOf(parent).map((one, at) => [one, at]))
    known.set(parent, places)
    return places.get(element) ?? -1
  }
}

/** Returns where an element is, as `alignTree` says it. Null: it is nested too deeply. */
function pathOf(element: Element, placeOf: PlaceOf): readonly number[] | null {
  const path: number[] = []
  for (let node: Element | null = element; node !== null;) {
    const { parent }: Element = node
    if (parent === null || path.length >= LOOK_LIMITS.depth) return null
    path.unshift(placeOf(node, parent))
    node = isElement(parent) ? parent : null
  }
  return path
}
