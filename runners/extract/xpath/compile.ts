import type { Tree } from '../tree.ts'
import type { Expr } from './ast.ts'
import { evaluate } from './evaluate.ts'
import { decidingPaths } from './forward-xpath.ts'
import { namespaceOf } from './node-test.ts'
import { NodeIndex } from './nodes.ts'
import { parseXPath } from './parser.ts'
import type { XValue } from './values.ts'
import { XPathFault } from './xpath-fault.ts'

/**
 * XPath 1.0 over the tree of `tree.ts`. The package `xpath` (0.0.34) is not used. Its `following::` includes the
 * descendants and its `preceding::` the ancestors of a node, it reads the empty string as 0, and its errors have no
 * position. Its node-sets are quadratic (`//*` with 20,000 nodes) and repeat nodes between steps, so that two steps can
 * require gigabytes. None of that can be corrected from outside.
 */
export interface CompiledXPath {
  readonly expr: Expr
  /** Prefixes that the expression uses. */
  readonly prefixes: readonly string[]
  /** The forward paths whose first nodes decide the value (forward-xpath.ts). Null: others count too. */
  readonly deciding: readonly Expr[] | null
}

type XPathOutcome =
  | { readonly ok: true; readonly compiled: CompiledXPath }
  | { readonly ok: false; readonly fault: XPathFault }

/** Compiles an expression. An error in it is a value with a 1-based column. */
export function compileXPath(source: string): XPathOutcome {
  try {
    const expr = parseXPath(source)
    return { ok: true, compiled: { expr, prefixes: [...prefixesIn(expr)], deciding: decidingPaths(expr) } }
  } catch (error) {
    if (error instanceof XPathFault) return { ok: false, fault: error }
    throw error
  }
}

const INDEXES = new WeakMap<Tree, NodeIndex>()

/** Evaluates with the document as the context node. */
export function runXPath({ expr }: Pick<CompiledXPath, 'expr'>, tree: Tree): XValue {
  const index = nodeIndexOf(tree)
  return evaluate(expr, { node: tree.document, position: 1, size: 1 }, { tree, index })
}

/** Returns the nodes of a tree in document order. They are numbered once. */
export function nodeIndexOf(tree: Tree): NodeIndex {
  let index = INDEXES.get(tree)
  if (index === undefined) {
    index = new NodeIndex(tree)
    INDEXES.set(tree, index)
  }
  return index
}

/** Returns the prefixes of an expression that this document does not declare. */
export function unboundPrefixes(compiled: CompiledXPath, tree: Tree): string[] {
  return compiled.prefixes.filter((prefix) => namespaceOf(prefix, tree) === undefined)
}

function prefixesIn(expr: Expr, found = new Set<string>()): Set<string> {
  if (expr.kind === 'path') {
    if (typeof expr.start !== 'string') prefixesIn(expr.start, found)
    for (const predicate of expr.startPredicates) prefixesIn(predicate.expr, found)
    for (const step of expr.steps) {
      if (step.test.kind === 'name' && step.test.prefix !== null) found.add(step.test.prefix)
      for (const predicate of step.predicates) prefixesIn(predicate.expr, found)
    }
  } else if (expr.kind === 'call') for (const arg of expr.args) prefixesIn(arg, found)
  else if (expr.kind === 'negate') prefixesIn(expr.operand, found)
  else if ('left' in expr) {
    prefixesIn(expr.left, found)
    prefixesIn(expr.right, found)
  }
  return found
}
