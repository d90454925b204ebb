import type { Element } from 'domhandler'
import { CSS_PART } from '../../../schema/monitor/value-limits.ts'
import { cssHints } from '../early/css-hints.ts'
import { ANY, type Hint } from '../early/hint.ts'
import { childrenOf, textOf, type Tree } from '../tree.ts'
import type { Steps } from './counted-adapter.ts'
import { attributeOf, CompiledCss } from './css.ts'
import { isForwardCss } from './forward-css.ts'

/** What a rule reads of the elements that its selector matches. */
type CssPart =
  | { readonly kind: 'text' }
  /** The text without that of elements inside. */
  | { readonly kind: 'own_text' }
  | { readonly kind: 'attribute'; readonly name: string }

interface CssSource {
  readonly selector: string
  readonly part: CssPart
  /** Where the part begins: the end of the rule, if it names none. */
  readonly at: number
}

/** A part that stands for itself means any element: `li > ::text` is that of each child. */
const ENDS_OPEN = /(?:^|[\s>+~])$/

/** Returns the selector of a rule without `[]`, and what is read: `a::attr(href)`, `h2::text`. */
export function cssSource(rule: string): CssSource {
  const found = CSS_PART.exec(rule)
  if (found === null) return { selector: rule, part: { kind: 'text' }, at: rule.length }
  const { index: at, 1: name } = found
  const before = rule.slice(0, at)
  const part: CssPart = name === undefined ? { kind: 'own_text' } : { kind: 'attribute', name: name.trim() }
  return { selector: ENDS_OPEN.test(before) ? `${before}*` : before, part, at }
}

/** A rule of the method css, without `[]`. Compiling it is done, and refused, when it first reads a page. */
export class CssRule {
  readonly #source: string
  readonly #selector: CompiledCss
  readonly #part: CssPart

  constructor(rule: string) {
    const { selector, part } = cssSource(rule)
    this.#source = selector
    this.#selector = new CompiledCss(selector)
    this.#part = part
  }

  /** Whether the content of an element is what is read. */
  get readsContent(): boolean {
    return this.#part.kind !== 'attribute'
  }

  /** Returns hints at the elements of a rule that what stands before an element decides. Null: more may decide. */
  forwardHints(): readonly [...Hint[], Hint] | null {
    if (!isForwardCss(this.#source)) return null
    const hints = cssHints(this.#source)
    const part = this.#part
    if (part.kind !== 'attribute') return hints
    const last = hints[hints.length - 1] ?? ANY
    return [...hints.slice(0, -1), { ...last, attributes: [...last.attributes, { name: part.name, part: null }] }]
  }

  /** Returns whether an element has a value, in a tree that may still change. False when the steps are not enough. */
  matches(element: Element, tree: Tree, steps: Steps): boolean {
    const part = this.#part
    if (!this.#selector.matches(element, tree, steps)) return false
    return part.kind !== 'attribute' || attributeOf(element, part.name, tree) !== undefined
  }

  /** Returns the first element in document order that has a value. Null: none has. */
  first(tree: Tree): Element | null {
    const known = tree.firsts?.get(this)
    if (known) return known
    const found = this.#part.kind === 'attribute' ? (this.all(tree)[0] ?? null) : this.#selector.first(tree)
    if (found) tree.firsts?.set(this, found)
    return found
  }

  /** Returns the elements that have a value, in document order. */
  all(tree: Tree): readonly Element[] {
    const elements = this.#selector.all(tree)
    const part = this.#part
    return part.kind === 'attribute'
      ? elements.filter((element) => attributeOf(element, part.name, tree) !== undefined)
      : elements
  }

  /** Returns the value of a matched element, trimmed. */
  read(element: Element, tree: Tree): string {
    const part = this.#part
    if (part.kind === 'attribute') return (attributeOf(element, part.name, tree) ?? '').trim()
    return (part.kind === 'text' ? textOf(element) : ownTextOf(element)).trim()
  }
}

function ownTextOf(element: Element): string {
  let text = ''
  for (const child of childrenOf(element)) if (child.type === 'text' || child.type === 'cdata') text += textOf(child)
  return text
}
