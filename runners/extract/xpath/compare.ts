import type { CompareOp } from './ast.ts'
import type { XNode } from './nodes.ts'
import { isNodes, stringOfNode, textToNumber, toBoolean, toNumber, toText } from './values.ts'
import type { XValue } from './values.ts'

const MIRROR = { '=': '=', '!=': '!=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const

/** Compares values as XPath 1.0 §3.4 requires: a node-set compares as "some node of it does". */
export function compare(op: CompareOp, left: XValue, right: XValue): boolean {
  if (isNodes(left)) return isNodes(right) ? compareSets(op, left, right) : compareSet(op, left, right)
  if (isNodes(right)) return compareSet(MIRROR[op], right, left)
  return compareAtoms(op, left, right)
}

function compareSet(op: CompareOp, nodes: readonly XNode[], other: Exclude<XValue, readonly XNode[]>): boolean {
  if (typeof other === 'boolean') return compareAtoms(op, toBoolean(nodes), other)
  return nodes.some((node) => compareAtoms(op, stringOfNode(node), other))
}

function compareSets(op: CompareOp, left: readonly XNode[], right: readonly XNode[]): boolean {
  if (left.length === 0 || right.length === 0) return false
  if (op === '=' || op === '!=') {
    const texts = new Set(right.map(stringOfNode))
    return left.some((node) => {
      const text = stringOfNode(node)
      return op === '=' ? texts.has(text) : texts.size > 1 || !texts.has(text)
    })
  }
  // Only the extremes decide, so n + m conversions are enough instead of n × m.
  const lefts = left.map((node) => textToNumber(stringOfNode(node))).filter((value) => !Number.isNaN(value))
  const rights = right.map((node) => textToNumber(stringOfNode(node))).filter((value) => !Number.isNaN(value))
  if (lefts.length === 0 || rights.length === 0) return false
  const rising = op === '<' || op === '<='
  return ordered(op, extreme(lefts, rising ? Math.min : Math.max), extreme(rights, rising ? Math.max : Math.min))
}

function extreme(values: readonly number[], pick: (a: number, b: number) => number): number {
  return values.reduce((best, value) => pick(best, value))
}

function compareAtoms(op: CompareOp, left: string | number | boolean, right: string | number | boolean): boolean {
  if (op === '=' || op === '!=') return equal(left, right) === (op === '=')
  return ordered(op, toNumber(left), toNumber(right))
}

function equal(left: string | number | boolean, right: string | number | boolean): boolean {
  if (typeof left === 'boolean' || typeof right === 'boolean') return toBoolean(left) === toBoolean(right)
  if (typeof left === 'number' || typeof right === 'number') return toNumber(left) === toNumber(right)
  return toText(left) === toText(right)
}

function ordered(op: CompareOp, left: number, right: number): boolean {
  switch (op) {
    case '<':
      return left < right
    case '<=':
      return left <= right
    case '>':
      return left > right
    default:
      return left >= right
  }
}
