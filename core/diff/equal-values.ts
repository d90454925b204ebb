import type { Json } from '../../schema/json.ts'
import { foldText } from './fold-text.ts'

/**
 * True when a person would say that nothing changed (DESIGN §4.16): texts are compared with their white space folded, numbers by value (`1` and
 * `1.0`), objects without regard to the order of their keys, lists in order. A change of type is a change: `"1"` is not `1`, `null` is not `""`.
 * No depth of nesting overflows the stack. `readingHash` follows the same rules.
 */
export function equalValues(one: Json, other: Json): boolean {
  if (one === other) return true
  if (typeof one === 'string') return typeof other === 'string' && foldText(one) === foldText(other)
  if (!isTree(one) || !isTree(other)) return false
  const pairs: Json[] = [one, other]
  while (pairs.length > 0) {
    const right = pairs.pop() ?? null
    const left = pairs.pop() ?? null
    const areAlike = isTree(left) && isTree(right) ? sameOutline(left, right, pairs) : sameLeaf(left, right)
    if (!areAlike) return false
  }
  return true
}

type Tree = Exclude<Json, string | number | boolean | null>

const isTree = (value: Json): value is Tree => typeof value === 'object' && value !== null
const isList = (value: Json): value is readonly Json[] => Array.isArray(value)

function sameLeaf(one: Json, other: Json): boolean {
  return one === other || (typeof one === 'string' && typeof other === 'string' && foldText(one) === foldText(other))
}

/** Compares length or keys; the parts are put on the pile, two by two. */
function sameOutline(one: Tree, other: Tree, pairs: Json[]): boolean {
  if (isList(one) !== isList(other)) return false
  const keys = Object.keys(one)
  if (keys.length !== Object.keys(other).length) return false
  const left = one as Readonly<Record<string, Json>>
  const right = other as Readonly<Record<string, Json>>
  for (const key of keys) {
    if (!Object.hasOwn(right, key)) return false
    pairs.push(left[key] ?? null, right[key] ?? null)
  }
  return true
}
