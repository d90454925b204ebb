import type { AnyNode, Element } from 'domhandler'
import { LOOK_LIMITS } from '../../../schema/monitor/look-limits.ts'
import { parseHtml } from '../html/html.ts'
import { childrenOf, isElement } from '../tree.ts'
import { type LiveTree, markOf } from './live-tree.ts'

/** Where an element is in the document that was parsed; null: it has no such element. */
export type Place = readonly number[] | null

/** How many siblings are skipped at most to find the one that an element is. */
const LOOKAHEAD = 500

/**
 * Finds elements of a browser's document in its HTML, as our parser reads that. The two differ where a script made
 * what HTML cannot say, and where `<noscript>` has elements. An element without a partner that is alike has no place,
 * and so have all elements in it: what is not sure is not said. Elements with equal marks may still be others, as the
 * cards of a list: their children tell them apart.
 */
export function alignTree(html: string, live: LiveTree, wanted: readonly number[]): readonly Place[] {
  const tree = parseHtml(html)
  if (tree.kind === 'too_complex') return wanted.map(() => null)
  const kids = childrenOfLive(live)
  const found = new Map<number, Element>()
  const paths = new Map<Element, Place>()
  const todo: [live: readonly number[], parsed: readonly Element[], path: readonly number[]][] = [
    [kids.get(-1) ?? [], elementsOf(tree.document), []],
  ]
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const [theirs, ours, path] = next
    const index = new Map(ours.map((element, at) => [element, at]))
    for (const [one, element] of pairsOf(theirs, ours, live)) {
      const own = path.length < LOOK_LIMITS.depth ? [...path, index.get(element) ?? 0] : null
      found.set(one, element)
      paths.set(element, own)
      if (own !== null) todo.push([kids.get(one) ?? [], elementsOf(element), own])
    }
  }
  forgetOthers(kids, found, paths)
  return wanted.map((one) => {
    const element = found.get(one)
    return element === undefined ? null : (paths.get(element) ?? null)
  })
}

/** Removes the pairs of which both have elements in them, and none of these are pairs: they are not the same. */
function forgetOthers(
  kids: ReadonlyMap<number, readonly number[]>,
  found: Map<number, Element>,
  paths: ReadonlyMap<Element, Place>,
): void {
  // Children are paired after their parents, and so judged before them.
  for (const [one, element] of [...found].toReversed()) {
    // Of what is nested too deeply no children were paired.
    if ((paths.get(element) ?? null) === null) continue
    const theirs = kids.get(one) ?? []
    const isOther = theirs.length > 0 && !theirs.some((child) => found.has(child)) && elementsOf(element).length > 0
    if (isOther) found.delete(one)
  }
}

function childrenOfLive({ parents }: LiveTree): Map<number, number[]> {
  const kids = new Map<number, number[]>()
  for (const [one, parent] of parents.entries()) {
    const siblings = kids.get(parent)
    if (siblings) siblings.push(one)
    else kids.set(parent, [one])
  }
  return kids
}

/** Returns the elements among the children of a node. */
export const elementsOf = (node: AnyNode): readonly Element[] => childrenOf(node).filter(isElement)

/** Of these a page has one each, whatever its attributes. */
const ONLY: ReadonlySet<string> = new Set(['html', 'head', 'body'])

/** Pairs siblings in their order. What one side alone has is skipped. */
function* pairsOf(
  theirs: readonly number[],
  ours: readonly Element[],
  live: LiveTree,
): Generator<readonly [number, Element]> {
  const marks = ours.map(markOfParsed)
  const isSame = (at: number, other: number): boolean => {
    const one = theirs[at] ?? -1
    const name = ours[other]?.name.toLowerCase()
    if (live.tags[one] !== name) return false
    return ONLY.has(name ?? '') || live.marks[one] === marks[other]
  }
  let at = 0
  let other = 0
  while (at < theirs.length && other < ours.length) {
    if (!isSame(at, other)) {
      const ahead = firstOf(other + 1, ours.length, (index) => isSame(at, index))
      const behind = firstOf(at + 1, theirs.length, (index) => isSame(index, other))
      if (ahead !== null && (behind === null || ahead - other <= behind - at)) other = ahead
      else if (behind !== null) at = behind
      else {
        at += 1
        other += 1
      }
      continue
    }
    const [one, element] = [theirs[at], ours[other]]
    if (one !== undefined && element) yield [one, element]
    at += 1
    other += 1
  }
}

function firstOf(from: number, end: number, holds: (index: number) => boolean): number | null {
  const most = Math.min(end, from + LOOKAHEAD)
  for (let index = from; index < most; index += 1) if (holds(index)) return index
  return null
}

function markOfParsed(element: Element): number {
  let text = ''
  for (const child of childrenOf(element)) if (child.type === 'text') text += child.data
  return markOf(Object.entries(element.attribs), isOpaque(element.name) ? '' : text)
}

/** Their content is text in a browser, and elements here, or the other way round. */
export const isOpaque = (tag: string): boolean => tag === 'noscript' || tag === 'template' || tag === 'textarea'
