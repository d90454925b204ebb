import { hash } from 'node:crypto'
import type { Json, Values } from '../../schema/shape/json.ts'
import { foldText } from './diff-values.ts'

/**
 * Returns sixteen bytes that are equal exactly when two readings are (`equalValues`; an absent field is `null`): the
 * first half of the SHA-256 of their canonical text. The hash is stored, so that an unchanged reading is recognized
 * without loading the reading before. After a change of the canonical text every monitor compares its values once, and
 * no more.
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

/** Uses a stack of its own, so that no nesting overflows the call stack. */
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

const isList = (value: Json): value is readonly Json[] => Array.isArray(value)

/**
 * Characters that JSON can express and a Postgres text cannot: NUL and halves of surrogate pairs, as `JSON.stringify`
 * writes them. `\\` is matched so that it is skipped.
 */
const UNSTORABLE = /\\(?:\\|u0000|ud[89a-f][0-9a-f]{2})/g

/**
 * Returns the values as the store can keep them. NUL and lone surrogates become U+FFFD, as an HTML parser does it, and
 * a value that is not a JSON number becomes `null`. This is done before the reading is hashed and compared, so that the
 * stored values are the compared ones.
 */
export function storable(values: Values): Values {
  return Object.values(values).every(isStorable) ? values : (JSON.parse(cleaned(values)) as Values)
}

function isStorable(value: Json): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  const text = JSON.stringify(value)
  if (text.includes('null') && !holdsFinite(value)) return false
  return !text.includes('\\u') || cleaned(value) === text
}

/** Uses a stack of its own, so that no nesting overflows the call stack. */
function holdsFinite(root: Json): boolean {
  const pile: Json[] = [root]
  for (let value = pile.pop(); value !== undefined; value = pile.pop()) {
    if (typeof value === 'number' && !Number.isFinite(value)) return false
    if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) pile.push(inner)
  }
  return true
}

function cleaned(value: Json | Values): string {
  return storableText(JSON.stringify(value))
}

/** Returns the text of a JSON value with the replacements of `storable`. */
export function storableText(json: string): string {
  return json.replace(UNSTORABLE, (match) => (match === '\\\\' ? match : '\\ufffd'))
}
