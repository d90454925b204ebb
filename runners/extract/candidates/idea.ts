import type { Tree } from '../tree.ts'
import type { CandidateKind } from './order.ts'
import { type Selector, toCss, toXPath } from './selector.ts'

/** A rule that may find an element. An engine judges it before it is offered. */
export interface Idea {
  readonly kind: CandidateKind
  /** A path of steps, which is written in either language; or an expression of XPath. */
  readonly path: Selector | string
  /** False: an engine of CSS would take too long for it. */
  readonly fitsCss?: boolean
  /** Returns the reason in plain words, for the number of matches. */
  readonly reason: (matches: number) => string
}

export type Method = 'css' | 'xpath'

export interface Rule {
  readonly method: Method
  readonly rule: string
}

/** Writes an idea as a rule: in CSS where that is possible and nothing else is wanted. */
export function ruleOf({ path, fitsCss = true }: Idea, tree: Tree, wanted: Method | null): Rule | null {
  const isCss = typeof path !== 'string' && fitsCss && wanted !== 'xpath'
  if (isCss) return { method: 'css', rule: toCss(path) }
  if (wanted === 'css') return null
  return { method: 'xpath', rule: typeof path === 'string' ? path : toXPath(path, tree) }
}
