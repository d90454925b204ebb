import type { Json } from '../../schema/shape/json.ts'
import { foldText } from './fold-text.ts'

/**
 * Returns whether two values are equal for a person. White space in texts is folded, numbers are compared by value (`1`
 * and `1.0`), the order of keys does not matter, the order of lists does. A change of type is a change: `"1"` is not
 * `1`, `null` is not `""`. No depth of nesting overflows the stack. `readingHash` follows the same rules.
 */
export function equalValues(one: Json, other: Json): boolean {
  const pile: Tree[] = []
  if (!sameTop(one, other, pile)) return false
  for (let left = pile.pop(), right = pile.pop(); left && right; left = pile.pop(), right = pile.pop()) {
    if (!sameParts(left, right, pile)) return false
  }
  return true
}

type Tree = Exclude<Json, string | number | boolean | null>

const isTree = (value: Json): value is Tree => typeof value === 'object' && value !== null
const isList = (value: Json): value is readonly Json[] => Array.isArray(value)

/**
 * Compares texts, numbers and other scalars. The parts of two lists or two objects are put on the stack and compared
 * later.
 */
function sameTop(one: Json, other: Json, pile: Tree[]): boolean {
  if (one === other) return true
  if (typeof one === 'string') return typeof other === 'string' && foldText(one) === foldText(other)
  if (!isTree(one) || !isTree(other)) return false
  pile.push(one, other)
  return true
}

function sameParts(one: Tree, other: Tree, pile: Tree[]): boolean {
  if (isList(one) || isList(other)) {
    if (!isList(one) || !isList(other) || one.length !== other.length) return false
    return one.every((item, index) => sameTop(item, other[index] ?? null, pile))
  }
  const keys = Object.keys(one)
  if (keys.length !== Object.keys(other).length) return false
  return keys.every((key) => Object.hasOwn(other, key) && sameTop(one[key] ?? null, other[key] ?? null, pile))
}
