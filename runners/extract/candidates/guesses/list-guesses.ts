import type { Element } from 'domhandler'
import { childrenOf, isElement, type Tree, textOf } from '../../tree.ts'
import { ancestorsOf } from '../anchors.ts'
import { censusOf } from '../census.ts'
import { counted, shown } from '../shown.ts'
import { bestList, guessBy } from './guess-by-rule.ts'
import { type Ranked, RANKS } from './guess.ts'
import { isUnseen } from './visible-texts.ts'

const LEAST_ITEMS = 3
/** Lists that are looked at closely, and those that are offered. */
const MOST_TRIED = 4
const MOST_GUESSES = 2
/** Parts of the frame around a page. */
const FRAME = new Set('nav footer header aside menu select svg head table'.split(' '))
/** Text and items beyond these make a list no more of one. */
const ENOUGH_TEXT = 150
const ENOUGH_ITEMS = 50
const LEAST_TEXT = 5

interface List {
  readonly items: readonly Element[]
  readonly score: number
}

/** Returns the largest repeated lists of a page, by their headings or links, and its largest table, by its rows. */
export function listGuesses(tree: Tree): Ranked[] {
  const { lists, tables } = repeatedIn(tree)
  const best = lists.toSorted((one, other) => other.score - one.score).slice(0, MOST_TRIED)
  const found = best.flatMap(({ items }) => listGuess(tree, items))
  const different = found.filter(
    ({ guess }, at) =>
      found.findIndex((other) => JSON.stringify(other.guess.values) === JSON.stringify(guess.values)) === at,
  )
  return [
    ...different.slice(0, MOST_GUESSES).map((one, at) => ({ ...one, rank: one.rank - at })),
    ...tableGuess(tree, tables),
  ]
}

function repeatedIn(tree: Tree): { lists: List[]; tables: Element[][] } {
  const census = censusOf(tree)
  const { all } = census.index
  const [lists, tables]: [List[], Element[][]] = [[], []]
  for (let at = 0; at < all.length; at += 1) {
    const node = all[at]
    if (node === undefined || !isElement(node)) continue
    if (isUnseen(node) || (FRAME.has(node.name) && node.name !== 'table')) {
      at = node.endIndex ?? at
      continue
    }
    const items = largestGroup(node)
    if (items.length < LEAST_ITEMS) continue
    if (items[0]?.name === 'tr') tables.push(items)
    else {
      const text = items.reduce((sum, one) => sum + Math.min(census.textLength(one), ENOUGH_TEXT), 0) / items.length
      if (text >= LEAST_TEXT && bonusOf(items) > 0)
        lists.push({ items, score: Math.min(items.length, ENOUGH_ITEMS) * text * bonusOf(items) })
    }
  }
  return { lists, tables }
}

/** Items of a list lead somewhere or have a heading; paragraphs of a text do not. */
function bonusOf([first]: readonly Element[]): number {
  if (first === undefined) return 0
  if (first.name === 'p' || first.name === 'br') return 0
  return titleIn(first) === first ? 0.5 : 2
}

function largestGroup(parent: Element): Element[] {
  const groups = new Map<string, Element[]>()
  for (const child of childrenOf(parent)) {
    if (!isElement(child) || isUnseen(child)) continue
    const group = groups.get(child.name)
    if (group === undefined) groups.set(child.name, [child])
    else group.push(child)
  }
  return [...groups.values()].reduce((largest, group) => (group.length > largest.length ? group : largest), [])
}

/** Returns the heading of an item, else its first link with a text, else the item. */
function titleIn(item: Element): Element {
  const inside = elementsIn(item)
  const hasText = (one: Element) => textOf(one).trim() !== ''
  return (
    inside.find((one) => /^h[1-6]$/.test(one.name) && hasText(one)) ??
    inside.find((one) => one.name === 'a' && hasText(one)) ??
    item
  )
}

/** The first elements of an item. */
const MOST_INSIDE = 200

function elementsIn(item: Element): Element[] {
  const found: Element[] = []
  const stack = childrenOf(item).filter(isElement).toReversed()
  for (let next = stack.pop(); next !== undefined && found.length < MOST_INSIDE; next = stack.pop()) {
    found.push(next)
    stack.push(...childrenOf(next).filter(isElement).toReversed())
  }
  return found
}

function listGuess(tree: Tree, items: readonly Element[]): Ranked[] {
  // The first item is often another one: pinned, or an advertisement.
  const item = items[1] ?? items[0]
  if (item === undefined) return []
  const list = bestList(tree, titleIn(item)) ?? bestList(tree, item)
  if (list === null || list.matches < LEAST_ITEMS || !Array.isArray(list.value)) return []
  const texts = list.value.filter((one) => one !== '')
  if (texts.length < list.value.length / 2) return []
  const label = `${counted(list.matches, 'item')} of a list: ${shown(String(texts[0] ?? ''))}`
  const predicate = { type: 'list_gains_items', field: 'items' } as const
  return [{ rank: RANKS.list, guess: guessBy(list, { kind: 'list', label, field: 'items', predicate }) }]
}

function tableGuess(tree: Tree, tables: readonly Element[][]): Ranked[] {
  const largest = tables.reduce<readonly Element[]>((best, rows) => (rows.length > best.length ? rows : best), [])
  const [, row] = largest
  if (row === undefined || elementsIn(row).filter(({ name }) => /^t[dh]$/.test(name)).length < 2) return []
  // Tables in tables lay a page out.
  if (ancestorsOf(row).filter(({ name }) => name === 'table').length > 1) return []
  const list = bestList(tree, row)
  if (list === null) return []
  const predicate = { type: 'field_changes', field: 'rows' } as const
  const label = `table of ${counted(list.matches, 'row')}`
  return [{ rank: RANKS.table, guess: guessBy(list, { kind: 'table', label, field: 'rows', predicate }) }]
}
