import type { Element } from 'domhandler'
import type { Token } from 'parse5'
import type { Compiled } from '../compiled.ts'
import type { Steps } from '../css/counted-adapter.ts'
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
  /** After so many more tags than that of an element that fits the last hint, a look into the tree is worth it. */
  readonly delay: number
  /** Returns whether an element that fits the last hint is a match as things stand; absent: that is not known. */
  matches?(element: Element, tree: Tree, steps: Steps): boolean
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
    delay: 0,
    matches: (element, tree, steps) => rule.matches(element, tree, steps),
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
    delay: deciding.some(endsInContent) ? 1 : 0,
    find(tree) {
      const found: Element[] = []
      for (const expr of deciding) if (!addFirst(expr, tree, found)) return null
      return found
    },
  }
}

/** The text of an element comes with the tag behind its own. */
function endsInContent(expr: Expr): boolean {
  if (expr.kind === 'union') return endsInContent(expr.left) || endsInContent(expr.right)
  const last = expr.kind === 'path' ? expr.steps.at(-1) : undefined
  return last !== undefined && last.axis !== 'attribute' && last.test.kind !== 'name'
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
  /** Tags that are still read before the next look. */
  delay: number
  /** After so many elements hints are compared again. */
  again: number
}

/**
 * After a look in vain, so many times the elements are read before the next. On what is larger than a few elements, all
 * looks together cost a third more than the last one.
 */
const GROWTH = { few: 64, ofFew: 2, ofMany: 4 }
/**
 * The steps that comparisons with elements may take at once, and for each element that is read. When they are not
 * enough, the page is read to its end: whatever a rule costs, looking for its match costs a part of the parsing.
 */
const STEPS = { atOnce: 4_096, perElement: 16 }

function isMatch(field: Field, { tagName }: Token.TagToken, place: Place, steps: Steps): boolean {
  const { current } = place
  const isCurrent = current !== undefined && 'name' in current && current.name === tagName
  const element = (isCurrent ? current : current?.lastChild) ?? null
  return element !== null && isElement(element) && field.matches?.(element, place.tree(), steps) === true
}

class FirstMatches implements Sought {
  readonly #searches: readonly Search[]
  #unseen: number
  #elements = 0
  readonly #steps: Steps = { left: STEPS.atOnce }

  constructor(fields: readonly Field[]) {
    this.#searches = fields.map((field) => ({ field, hint: 0, content: null, awaited: null, delay: 0, again: 0 }))
    this.#unseen = fields.length
  }

  see(tag: Token.TagToken, place: Place): boolean {
    if (this.#isGivenUp) return false
    this.#elements += 1
    this.#steps.left += STEPS.perElement
    if (this.#unseen > 0) for (const search of this.#searches) this.#compare(search, tag, place)
    return this.#unseen === 0 && !this.#isGivenUp
  }

  /** No rest of the page is left unread. */
  get #isGivenUp(): boolean {
    return this.#steps.left < 0
  }

  #compare(search: Search, tag: Token.TagToken, place: Place): void {
    const { field } = search
    const { hints, delay } = field
    for (let hint = hints[search.hint]; hint !== undefined; hint = hints[search.hint]) {
      if (this.#isGivenUp || this.#elements < search.again || !fits(hint, tag)) return
      const isLast = search.hint === hints.length - 1
      if (isLast && field.matches && !isMatch(field, tag, place, this.#steps)) return
      search.hint += 1
      if (!isLast) continue
      search.delay = delay
      this.#unseen -= 1
    }
  }

  isDue(isOpen: IsOpen): boolean {
    if (this.#unseen > 0) return false
    for (const search of this.#searches) {
      if (search.delay > 0) {
        search.delay -= 1
        return false
      }
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
    search.hint = search.field.hints.length - 1
    search.again = this.#elements * (this.#elements < GROWTH.few ? GROWTH.ofFew : GROWTH.ofMany)
    this.#unseen += 1
  }
}
