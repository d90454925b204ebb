import type { Expr } from './ast.ts'
import { SIGNATURES } from './signatures.ts'

/** What an expression gives, known from its text alone: XPath 1.0 without variables leaves nothing open. */
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
 * Whether `position()` or `last()` is asked of this expression's own context (predicates within have contexts of their
 * own).
 */
function asksPosition(expr: Expr): boolean {
  switch (expr.kind) {
    case 'number':
    case 'string':
      return false
    case 'negate':
      return asksPosition(expr.operand)
    case 'call':
      return expr.name === 'position' || expr.name === 'last' || expr.args.some(asksPosition)
    case 'path':
      return typeof expr.start !== 'string' && asksPosition(expr.start)
    default:
      return asksPosition(expr.left) || asksPosition(expr.right)
  }
}

export function isPositional(expr: Expr): boolean {
  return staticType(expr) === 'number' || asksPosition(expr)
}
