import { EXTRACT_LIMITS } from '../limits.ts'
import type { ArithmeticOp, CompareOp, Expr, PathExpr, Predicate } from './ast.ts'
import { tokenize } from './lexer.ts'
import { SIGNATURES } from './signatures.ts'
import { isPositional, staticType } from './static-type.ts'
import { parseRelative, startsStep } from './steps.ts'
import { TokenReader } from './token-reader.ts'
import { XPathFault } from './xpath-fault.ts'

/**
 * Parses an XPath 1.0 expression. Throws `XPathFault` with the column, also for unknown functions and wrong argument
 * counts.
 */
export function parseXPath(source: string): Expr {
  const reader = new TokenReader(tokenize(source))
  if (reader.peek().type === 'end') throw new XPathFault('the expression is empty', 1)
  const expr = parseExpr(reader)
  const rest = reader.peek()
  if (rest.type !== 'end') throw reader.unexpected('the end of the expression')
  return expr
}

/** Joins the two sides of an operator. */
type Join = (left: Expr, right: Expr) => Expr

const compare = (op: CompareOp): [string, Join] => [op, (left, right) => ({ kind: 'compare', op, left, right })]
const compute = (op: ArithmeticOp): [string, Join] => [op, (left, right) => ({ kind: 'arithmetic', op, left, right })]
const logical = (kind: 'or' | 'and'): [string, Join] => [kind, (left, right) => ({ kind, left, right })]

/** The operators by what they bind, those that bind least first. */
const LEVELS: readonly ReadonlyMap<string, Join>[] = [
  new Map([logical('or')]),
  new Map([logical('and')]),
  new Map([compare('='), compare('!=')]),
  new Map([compare('<'), compare('<='), compare('>'), compare('>=')]),
  new Map([compute('+'), compute('-')]),
  new Map([compute('*'), compute('div'), compute('mod')]),
]

function parseExpr(reader: TokenReader, level = 0): Expr {
  const operators = LEVELS[level]
  if (operators === undefined) return parseUnary(reader)
  let left = parseExpr(reader, level + 1)
  for (;;) {
    const token = reader.peek()
    const join = token.type === 'operator' ? operators.get(token.text) : undefined
    if (!join) return left
    reader.next()
    left = join(left, parseExpr(reader, level + 1))
  }
}

function parseUnary(reader: TokenReader): Expr {
  let signs = 0
  while (reader.takeOperator('-')) signs += 1
  const operand = parseUnion(reader)
  if (signs === 0) return operand
  // An even number of signs still converts the operand to a number.
  const negated: Expr = { kind: 'negate', operand }
  return signs % 2 === 1 ? negated : { kind: 'negate', operand: negated }
}

function parseUnion(reader: TokenReader): Expr {
  let left = parsePath(reader)
  while (reader.peek().type === 'operator' && reader.peek().text === '|') {
    const { column } = reader.next()
    const right = parsePath(reader)
    if (staticType(left) !== 'nodes' || staticType(right) !== 'nodes')
      throw new XPathFault('both sides of | must be paths', column)
    left = { kind: 'union', left, right }
  }
  return left
}

function parsePath(reader: TokenReader): Expr {
  const token = reader.peek()
  if (token.type === 'operator' && (token.text === '/' || token.text === '//')) return parseAbsolute(reader)
  if (!startsFilter(reader))
    return { kind: 'path', start: 'context', startPredicates: [], steps: parseRelative(reader, parsePredicate) }
  const start = parsePrimary(reader)
  const startPredicates: Predicate[] = []
  while (reader.isPunct('[')) startPredicates.push(parsePredicate(reader))
  const next = reader.peek()
  const hasSteps = next.type === 'operator' && (next.text === '/' || next.text === '//')
  if (startPredicates.length === 0 && !hasSteps) return start
  if (staticType(start) !== 'nodes') throw new XPathFault('a predicate or a step needs nodes before it', token.column)
  const steps = hasSteps ? parseRelative(reader, parsePredicate, { afterNodes: true }) : []
  return { kind: 'path', start, startPredicates, steps }
}

function parseAbsolute(reader: TokenReader): PathExpr {
  const both = reader.peek().text === '//'
  if (both)
    return {
      kind: 'path',
      start: 'root',
      startPredicates: [],
      steps: parseRelative(reader, parsePredicate, { afterNodes: true }),
    }
  reader.next()
  const steps = startsStep(reader) ? parseRelative(reader, parsePredicate) : []
  return { kind: 'path', start: 'root', startPredicates: [], steps }
}

const NODE_TYPES = new Set(['node', 'text', 'comment', 'processing-instruction'])

function startsFilter(reader: TokenReader): boolean {
  const token = reader.peek()
  if (token.type === 'number' || token.type === 'literal') return true
  if (token.type === 'punct') return token.text === '(' || token.text === '$'
  return token.type === 'name' && reader.isPunct('(', 1) && !NODE_TYPES.has(token.text)
}

function parsePrimary(reader: TokenReader): Expr {
  const token = reader.next()
  if (token.type === 'number') return { kind: 'number', value: Number(token.text) }
  if (token.type === 'literal') return { kind: 'string', value: token.text }
  if (token.text === '$') throw new XPathFault('there are no variables to refer to', token.column)
  if (token.text !== '(') return parseCall(reader, token.text, token.column)
  const inner = nested(reader, token.column, () => parseExpr(reader))
  reader.expect(')')
  // Kept as a path without steps: `(//a)[1]` and `//a[1]` differ.
  return inner
}

function parseCall(reader: TokenReader, name: string, column: number): Expr {
  reader.expect('(')
  const args: Expr[] = []
  nested(reader, column, () => {
    while (!reader.isPunct(')')) {
      if (args.length > 0) reader.expect(',')
      args.push(parseExpr(reader))
    }
  })
  reader.expect(')')
  checkCall(name, args, column)
  return { kind: 'call', name, args, column }
}

function checkCall(name: string, args: readonly Expr[], column: number): void {
  const signature = SIGNATURES.get(name)
  if (signature === undefined) throw new XPathFault(`there is no function ${name}() in XPath 1.0`, column)
  const { min, max } = signature
  if (args.length < min || args.length > max) {
    const wanted = min === max ? `${min}` : max === Infinity ? `at least ${min}` : `${min} or ${max}`
    throw new XPathFault(`${name}() takes ${wanted} argument${wanted === '1' ? '' : 's'}, not ${args.length}`, column)
  }
  for (const index of signature.nodes ?? []) {
    const arg = args[index]
    if (arg !== undefined && staticType(arg) !== 'nodes') throw new XPathFault(`${name}() takes a path`, column)
  }
}

function parsePredicate(reader: TokenReader): Predicate {
  const { column } = reader.expect('[')
  const expr = nested(reader, column, () => parseExpr(reader))
  reader.expect(']')
  return { expr, positional: isPositional(expr) }
}

function nested<T>(reader: TokenReader, column: number, inner: () => T): T {
  reader.depth += 1
  if (reader.depth > EXTRACT_LIMITS.ruleNesting) {
    throw new XPathFault(`the expression is nested deeper than ${EXTRACT_LIMITS.ruleNesting} levels`, column)
  }
  const value = inner()
  reader.depth -= 1
  return value
}
