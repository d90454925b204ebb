import type { Element } from 'domhandler'
import type { Token } from 'parse5'
import type { Compiled } from '../compiled.ts'
import type { CssRule } from '../css/css-rule.ts'
import type { IsOpen, Place, Sought } from '../html/sought.ts'
import { isElement, type Tree } from '../tree.ts'
import type { Expr } from '../xpath/ast.ts'
import { type CompiledXPath, runXPath } from '../xpath/compile.ts'
import { isNodes } from '../xpath/values.ts'
import { fits, type Hint } from './hint.ts'
import { xpathHints } from './xpath-hints.ts'

/** A field of which the first match is wanted. */
interface Field {
  readonly hints: readonly [...Hint[], Hint]
  /** How many looks into the tree are worth it when an element fits the last hint. */
  readonly looks: number
  /** Returns whether an element that fits the last hint is a match as things stand; absent: that is not known. */
  matches?(element: Element, tree: Tree): boolean
  /** Returns the elements whose content has to be complete, if the match is in the tree; null: it is not. */
  find(tree: Tree): readonly Element[] | null
}

type TreeRules = Extract<Compiled, { method: 'css' | 'xpath' }>

const FIELDS = new WeakMap<TreeRules, readonly Field[] | null>()

/**
 * Returns what a page is read for when only the first matches of some rules are wanted. Null: all of the page is
 * needed. So it is for lists, for rules that look at what comes behind a match, where elements are left out first, and
 * where values are treated: links are relative to a `<base>`, which may stand behind the match.
 */
export function firstMatches(compiled: TreeRules): Sought | null {
  let fields = FIELDS.get(compiled)
  if (fields === undefined) {
    fields = fieldsOf(compiled)
    FIELDS.set(compiled, fields)
  }
  return fields && new FirstMatches(fields)
}

function fieldsOf(compiled: TreeRules): readonly Field[] | null {
  if (compiled.without.length > 0 || compiled.clean.size > 0) return null
  const fields: Field[] = []
  for (const field of compiled.method === 'css' ? compiled.fields.map(cssField) : compiled.fields.map(xpathField)) {
    if (field === null) return null
    fields.push(field)
  }
  return fields
}

type Named<Rule> = readonly [name: string, { readonly rule: Rule; readonly isList: boolean }]

function cssField([, { rule, isList }]: Named<CssRule>): Field | null {
  const hints = isList ? null : rule.forwardHints()
  if (hints === null) return null
  return {
    hints,
    looks: 1,
    matches: (element, tree) => rule.matches(element, tree),
    find(tree) {
      const first = rule.first(tree)
      return first && (rule.readsContent ? [first] : [])
    },
  }
}

function xpathField([, { rule, isList }]: Named<CompiledXPath>): Field | null {
  const { deciding } = rule
  if (isList || deciding === null || deciding.length === 0) return null
  return {
    hints: xpathHints(deciding),
    looks: LOOKS_FOR_CONTENT,
    find(tree) {
      const found: Element[] = []
      for (const expr of deciding) if (!addFirst(expr, tree, found)) return null
      return found
    },
  }
}

/** Adds the element whose content is the first node of a path, or holds it. Returns false where there is no node. */
function addFirst(expr: Expr, tree: Tree, found: Element[]): boolean {
  const value = runXPath({ expr }, tree)
  const first = isNodes(value) ? value[0] : undefined
  if (first === undefined || first.type === 'root') return false
  if (first.type === 'attribute') return true
  const holder = isElement(first) ? first : first.parent
  if (holder === null || holder.type === 'root' || !isElement(holder)) return false
  found.push(holder)
  return true
}

/** A field that is looked for. */
interface Search {
  readonly field: Field
  /** The hint that the next element is compared with. Behind the last one: the match may be in the tree. */
  hint: number
  /** What it was found to be; it stays that. Null: it was not found yet. */
  content: readonly Element[] | null
  /** Its content is not complete. */
  awaited: Element | null
  /** Looks that are left. */
  looks: number
  /** After so many elements hints are compared again. */
  again: number
}

/** After a look in vain, so many times the elements are read before the next: all looks together cost a few. */
const GROWTH = 2
/** The text of an element comes with the tags behind its own. */
const LOOKS_FOR_CONTENT = 3

function isMatch(field: Field, { tagName }: Token.TagToken, place: Place): boolean {
  const { current } = place
  const isCurrent = current !== undefined && 'name' in current && current.name === tagName
  const element = (isCurrent ? current : current?.lastChild) ?? null
  return element !== null && isElement(element) && field.matches?.(element, place.tree()) === true
}

class FirstMatches implements Sought {
  readonly #searches: readonly Search[]
  #unseen: number
  #elements = 0

  constructor(fields: readonly Field[]) {
    this.#searches = fields.map((field) => ({ field, hint: 0, content: null, awaited: null, looks: 0, again: 0 }))
    this.#unseen = fields.length
  }

  see(tag: Token.TagToken, place: Place): boolean {
    this.#elements += 1
    if (this.#unseen > 0) for (const search of this.#searches) this.#compare(search, tag, place)
    return this.#unseen === 0
  }

  #compare(search: Search, tag: Token.TagToken, place: Place): void {
    const { field } = search
    const { hints, looks } = field
    for (let hint = hints[search.hint]; hint !== undefined; hint = hints[search.hint]) {
      if (this.#elements < search.again || !fits(hint, tag)) return
      const isLast = search.hint === hints.length - 1
      if (isLast && field.matches && !isMatch(field, tag, place)) return
      search.hint += 1
      if (!isLast) continue
      search.looks = looks
      this.#unseen -= 1
    }
  }

  isDue(isOpen: IsOpen): boolean {
    if (this.#unseen > 0) return false
    for (const search of this.#searches) {
      if (search.awaited === null) continue
      if (isOpen(search.awaited)) return false
      search.awaited = null
    }
    return true
  }

  isFound(tree: Tree, isOpen: IsOpen): boolean {
    for (const search of this.#searches) {
      search.content ??= search.field.find(tree)
      if (search.content === null) {
        this.#lookedInVain(search)
        return false
      }
      search.awaited = search.content.find(isOpen) ?? null
      if (search.awaited !== null) return false
    }
    return true
  }

  forget(): void {
    for (const search of this.#searches) {
      search.content = null
      search.awaited = null
    }
  }

  #lookedInVain(search: Search): void {
    search.looks -= 1
    if (search.looks > 0) return
    search.hint = search.field.hints.length - 1
    search.again = this.#elements * GROWTH
    this.#unseen += 1
  }
}
