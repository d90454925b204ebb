import type { Expr } from './ast.ts'
import { SIGNATURES } from './signatures.ts'

/** Returns the type of an expression, from its text alone: XPath 1.0 without variables has no other input. */
export function staticType(expr: Expr): 'string' | 'number' | 'boolean' | 'nodes' {
  switch (expr.kind) {
    case 'number':
    case 'arithmetic':
    case 'negate':
      return 'number'
    case 'string':
      return 'string'
    case 'or':
    case 'and':
    case 'compare':
      return 'boolean'
    case 'union':
      return 'nodes'
    case 'call':
      return SIGNATURES.get(expr.name)?.returns ?? 'string'
    case 'path':
      return typeof expr.start === 'string' || expr.steps.length > 0 ? 'nodes' : staticType(expr.start)
  }
}

/**
 * Returns whether `position()` or `last()` refers to this expression's own context. Predicates inside have contexts of
 * their own.
 */
function usesPosition(expr: Expr): boolean {
  switch (expr.kind) {
    case 'number':
    case 'string':
      return false
    case 'negate':
      return usesPosition(expr.operand)
    case 'call':
      return expr.name === 'position' || expr.name === 'last' || expr.args.some(usesPosition)
    case 'path':
      return typeof expr.start !== 'string' && usesPosition(expr.start)
    default:
      return usesPosition(expr.left) || usesPosition(expr.right)
  }
}

export function isPositional(expr: Expr): boolean {
  return staticType(expr) === 'number' || usesPosition(expr)
}
