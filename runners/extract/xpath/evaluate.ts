import type { Expr, PathExpr, Predicate, Step } from './ast.ts'
import { isReverse, walk } from './axes.ts'
import { compare } from './compare.ts'
import type { Env, Focus } from './focus.ts'
import { callFunction } from './functions.ts'
import { nodeSet } from './node-set.ts'
import { matcher } from './node-test.ts'
import { lastOrderOf, orderOf, parentOf } from './nodes.ts'
import type { XNode } from './nodes.ts'
import { isNodes, toBoolean, toNumber } from './values.ts'
import type { XValue } from './values.ts'

export function evaluate(expr: Expr, focus: Focus, env: Env): XValue {
  switch (expr.kind) {
    case 'number':
    case 'string':
      return expr.value
    case 'or':
      return toBoolean(evaluate(expr.left, focus, env)) || toBoolean(evaluate(expr.right, focus, env))
    case 'and':
      return toBoolean(evaluate(expr.left, focus, env)) && toBoolean(evaluate(expr.right, focus, env))
    case 'compare':
      return compare(expr.op, evaluate(expr.left, focus, env), evaluate(expr.right, focus, env))
    case 'negate':
      return -toNumber(evaluate(expr.operand, focus, env))
    case 'arithmetic':
      return arithmetic(expr.op, toNumber(evaluate(expr.left, focus, env)), toNumber(evaluate(expr.right, focus, env)))
    case 'union':
      return nodeSet([...nodesOf(evaluate(expr.left, focus, env)), ...nodesOf(evaluate(expr.right, focus, env))])
    case 'call':
      return callFunction(expr, focus, env, evaluate)
    case 'path':
      return evaluatePath(expr, focus, env)
  }
}

function arithmetic(op: '+' | '-' | '*' | 'div' | 'mod', left: number, right: number): number {
  switch (op) {
    case '+':
      return left + right
    case '-':
      return left - right
    case '*':
      return left * right
    case 'div':
      return left / right
    case 'mod':
      return left % right
  }
}

/** The parser ensures that nodes come where nodes are needed. */
function nodesOf(value: XValue): readonly XNode[] {
  return isNodes(value) ? value : []
}

function evaluatePath(path: PathExpr, focus: Focus, env: Env): readonly XNode[] {
  let nodes = startNodes(path, focus, env)
  for (const predicate of path.startPredicates) nodes = filter(nodes, predicate, env)
  for (const step of path.steps) nodes = applyStep(step, nodes, env)
  return nodes
}

function startNodes(path: PathExpr, focus: Focus, env: Env): readonly XNode[] {
  if (path.start === 'root') return [env.tree.document]
  if (path.start === 'context') return [focus.node]
  return nodesOf(evaluate(path.start, focus, env))
}

/**
 * Applies one step to a node-set. Positions count per context node. Where no predicate counts positions, a context
 * inside another adds nothing.
 */
function applyStep(step: Step, nodes: readonly XNode[], env: Env): readonly XNode[] {
  const matches = matcher(step.test, step.axis, env.tree)
  const positional = step.predicates.some((predicate) => predicate.positional)
  const contexts = positional ? nodes : covering(step, nodes)
  const found: XNode[] = []
  for (const node of contexts) {
    let reached: readonly XNode[] = walk(step.axis, node, env.index).filter(matches)
    for (const predicate of step.predicates) reached = filter(reached, predicate, env)
    for (const one of reached) found.push(one)
  }
  if (isReverse(step.axis)) found.reverse()
  return nodeSet(found)
}

/**
 * Returns the fewest contexts from which a step without positions reaches the same nodes. This keeps consecutive
 * ancestor and descendant steps from taking quadratic time.
 */
function covering(step: Step, nodes: readonly XNode[]): readonly XNode[] {
  if (nodes.length < 2) return nodes
  if (step.axis === 'descendant' || step.axis === 'descendant-or-self') {
    let end = -1
    return nodes.filter((node) => {
      if (orderOf(node) <= end && node.type !== 'attribute') return false
      end = Math.max(end, Math.floor(lastOrderOf(node)))
      return true
    })
  }
  if (step.axis === 'following')
    return [nodes.reduce((best, node) => (lastOrderOf(node) < lastOrderOf(best) ? node : best))]
  if (step.axis === 'preceding') return nodes.slice(-1)
  if (step.axis === 'following-sibling') return onePerParent(nodes)
  if (step.axis === 'preceding-sibling') return onePerParent(nodes.toReversed())
  return nodes
}

function onePerParent(nodes: readonly XNode[]): readonly XNode[] {
  const seen = new Set<XNode | null>()
  return nodes.filter((node) => {
    const parent = parentOf(node)
    const fresh = !seen.has(parent)
    seen.add(parent)
    return fresh
  })
}

function filter(nodes: readonly XNode[], predicate: Predicate, env: Env): readonly XNode[] {
  const { expr } = predicate
  if (expr.kind === 'number') {
    const one = nodes[expr.value - 1]
    return one === undefined ? [] : [one]
  }
  return nodes.filter((node, at) => {
    const value = evaluate(expr, { node, position: at + 1, size: nodes.length }, env)
    return typeof value === 'number' ? value === at + 1 : toBoolean(value)
  })
}
