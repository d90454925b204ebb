/**
 * An XPath 1.0 expression as a tree (https://www.w3.org/TR/1999/REC-xpath-19991116/). The parser creates it and the
 * evaluator walks it. `column` counts UTF-16 units from 1.
 */
export type Expr =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'or' | 'and'; readonly left: Expr; readonly right: Expr }
  | { readonly kind: 'compare'; readonly op: CompareOp; readonly left: Expr; readonly right: Expr }
  | { readonly kind: 'arithmetic'; readonly op: ArithmeticOp; readonly left: Expr; readonly right: Expr }
  | { readonly kind: 'negate'; readonly operand: Expr }
  | { readonly kind: 'union'; readonly left: Expr; readonly right: Expr }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expr[]; readonly column: number }
  | PathExpr

export type CompareOp = '=' | '!=' | '<' | '<=' | '>' | '>='
export type ArithmeticOp = '+' | '-' | '*' | 'div' | 'mod'

export interface PathExpr {
  readonly kind: 'path'
  /** Where the steps begin: the document, the context node, or the nodes of a filter expression. */
  readonly start: 'root' | 'context' | Expr
  readonly startPredicates: readonly Predicate[]
  readonly steps: readonly Step[]
}

export interface Step {
  readonly axis: Axis
  readonly test: NodeTest
  readonly predicates: readonly Predicate[]
}

export interface Predicate {
  readonly expr: Expr
  /**
   * Whether the result may depend on the node's position among its siblings: a number, or `position()` or `last()`
   * inside.
   */
  readonly positional: boolean
}

export type NodeTest =
  | { readonly kind: 'node' | 'text' | 'comment' }
  | { readonly kind: 'processing-instruction'; readonly target: string | null }
  /** `local: null` is `*`; `prefix: null` is a name without a prefix. */
  | { readonly kind: 'name'; readonly prefix: string | null; readonly local: string | null; readonly lower: string }

export const AXES = [
  'ancestor',
  'ancestor-or-self',
  'attribute',
  'child',
  'descendant',
  'descendant-or-self',
  'following',
  'following-sibling',
  'namespace',
  'parent',
  'preceding',
  'preceding-sibling',
  'self',
] as const
export type Axis = (typeof AXES)[number]
