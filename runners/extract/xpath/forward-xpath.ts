import type { Axis, Expr, PathExpr, Predicate } from './ast.ts'
import { staticType } from './static-type.ts'

/** The axes of a path that lead from a node to itself, into it, or to its attributes. */
const DOWN: ReadonlySet<Axis> = new Set(['self', 'child', 'descendant', 'descendant-or-self', 'attribute'])
/**
 * The axes that lead from a node to what stood before its content. Those to all ancestors or siblings are left out: a
 * path with them costs more than parsing the page, so evaluating it before the end would not pay.
 */
const BEFORE: ReadonlySet<Axis> = new Set(['self', 'attribute', 'parent'])

/** Functions of the values of their arguments. Of a node-set they read the first node. */
const OF_VALUES: ReadonlySet<string> = new Set([
  'string',
  'concat',
  'starts-with',
  'contains',
  'substring-before',
  'substring-after',
  'substring',
  'string-length',
  'normalize-space',
  'translate',
  'number',
  'floor',
  'ceiling',
  'round',
])
const OF_CONTEXT: ReadonlySet<string> = new Set(['position', 'name', 'local-name', 'namespace-uri'])
const CONSTANT: ReadonlySet<string> = new Set(['true', 'false'])
const TESTS: ReadonlySet<string> = new Set(['not', 'boolean'])

/**
 * Returns the paths of an expression of which the first nodes decide its value, if all of them are forward: a path that
 * leads down, whose predicates depend on what stands before a node. Nodes that a page adds at its end come behind those
 * that such a path has already. Null: the end of the page may decide, or nothing is known of it.
 */
export function decidingPaths(expr: Expr): readonly Expr[] | null {
  switch (expr.kind) {
    case 'number':
    case 'string':
      return []
    case 'path':
    case 'union':
      return isForward(expr) ? [expr] : null
    case 'call':
      return OF_VALUES.has(expr.name) && expr.args.length > 0 ? ofAll(expr.args) : null
    case 'negate':
      return decidingPaths(expr.operand)
    case 'compare':
      // A node-set compares as any of its nodes does.
      return isNodeSet(expr.left) || isNodeSet(expr.right) ? null : ofAll([expr.left, expr.right])
    default:
      return ofAll([expr.left, expr.right])
  }
}

const isNodeSet = (expr: Expr): boolean => staticType(expr) === 'nodes'

function ofAll(parts: readonly Expr[]): readonly Expr[] | null {
  const all: Expr[] = []
  for (const part of parts) {
    const paths = decidingPaths(part)
    if (paths === null) return null
    all.push(...paths)
  }
  return all
}

function isForward(expr: Expr): boolean {
  if (expr.kind === 'union') return isForward(expr.left) && isForward(expr.right)
  if (expr.kind !== 'path') return false
  return (
    (typeof expr.start === 'string' || isForward(expr.start)) &&
    areSettled(expr.startPredicates) &&
    expr.steps.every(({ axis, predicates }) => DOWN.has(axis) && areSettled(predicates))
  )
}

const areSettled = (predicates: readonly Predicate[]): boolean => predicates.every(({ expr }) => isSettledTest(expr))

/** Returns whether an expression, as a test of a node, depends on nothing but what stood before its content. */
function isSettledTest(expr: Expr): boolean {
  if (expr.kind === 'and' || expr.kind === 'or') return isSettledTest(expr.left) && isSettledTest(expr.right)
  if (expr.kind === 'call' && TESTS.has(expr.name)) return expr.args.every(isSettledTest)
  // That there is such a node.
  return expr.kind === 'path' ? leadsBefore(expr) : isSettledValue(expr)
}

/** The same of its value. The text of an element is its content, so of nodes it is those of attributes alone. */
function isSettledValue(expr: Expr): boolean {
  switch (expr.kind) {
    case 'number':
    case 'string':
      return true
    case 'path':
      return leadsBefore(expr) && expr.steps.at(-1)?.axis === 'attribute'
    case 'negate':
      return isSettledValue(expr.operand)
    case 'compare':
    case 'arithmetic':
    case 'union':
      return isSettledValue(expr.left) && isSettledValue(expr.right)
    case 'call':
      return isSettledCall(expr.name, expr.args)
    default:
      return isSettledTest(expr)
  }
}

function isSettledCall(name: string, args: readonly Expr[]): boolean {
  if (TESTS.has(name)) return args.every(isSettledTest)
  if (args.length === 0) return OF_CONTEXT.has(name) || CONSTANT.has(name)
  return OF_VALUES.has(name) && args.every(isSettledValue)
}

const leadsBefore = ({ start, startPredicates, steps }: PathExpr): boolean =>
  start === 'context' &&
  startPredicates.length === 0 &&
  steps.every(({ axis, predicates }) => BEFORE.has(axis) && areSettled(predicates))
