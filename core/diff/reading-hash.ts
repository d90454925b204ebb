import { hash } from 'node:crypto'
import type { Json, Values } from '../../schema/shape/json.ts'
import { isList, foldText } from './diff-values.ts'

/**
 * Returns sixteen bytes that are equal exactly when two readings are (`equalValues`; an absent field is `null`), except
 * for values that were cut at different places: the first half of the SHA-256 of their canonical text. The hash is
 * stored, so that an unchanged reading is recognized without loading the reading before. After a change of the
 * canonical text every monitor compares its values once, and no more.
 */
export function readingHash(values: Values): Buffer {
  return hash('sha256', canonicalText(values), 'buffer').subarray(0, 16)
}

/** Keys are sorted, white space of texts is folded, and fields that are `null` are left out. */
function canonicalText(values: Values): string {
  let text = ''
  for (const name of Object.keys(values).sort()) {
    const value = values[name] ?? null
    if (value !== null) text += `${JSON.stringify(name)}:${canonicalValue(value)}\n`
  }
  return text
}

/** Returns a text that is equal exactly when two values are (`equalValues`). */
export function canonicalValue(value: Json): string {
  if (typeof value === 'string') return JSON.stringify(foldText(value))
  // -0 and 0 are the same number; String() writes both as 0.
  if (typeof value !== 'object' || value === null) return String(value)
  return canonicalTree(value)
}

/** A part of the text that is not yet written: a value, or text as it is. */
type Waiting = { readonly value: Json } | { readonly text: string }

/** Uses its own stack, so that no nesting overflows the call stack. */
function canonicalTree(root: Json): string {
  const waiting: Waiting[] = [{ value: root }]
  const parts: string[] = []
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if ('text' in next) parts.push(next.text)
    else if (next.value === null || typeof next.value !== 'object') parts.push(canonicalValue(next.value))
    else open(next.value, parts, waiting)
  }
  return parts.join('')
}

function open(value: Exclude<Json, string | number | boolean | null>, parts: string[], waiting: Waiting[]): void {
  if (isList(value)) {
    parts.push('[')
    waiting.push({ text: ']' })
    for (const item of value.toReversed()) waiting.push({ text: ',' }, { value: item })
    return
  }
  parts.push('{')
  waiting.push({ text: '}' })
  for (const key of Object.keys(value).sort().reverse())
    waiting.push({ text: ',' }, { value: value[key] ?? null }, { text: `${JSON.stringify(key)}:` })
}
