import { hash } from 'node:crypto'
import type { Json, Values } from '../../schema/shape/json.ts'
import { foldText } from './fold-text.ts'

/**
 * Sixteen bytes that are equal exactly when two readings are (`equalValues`; a field that is absent is `null`): the
 * head of the SHA-256 of their canonical text. It is stored, so that an unchanged reading is recognised without loading
 * the one before: a change of the canonical text makes every monitor compare its values once, and no more.
 */
export function readingHash(values: Values): Buffer {
  return hash('sha256', canonicalText(values), 'buffer').subarray(0, 16)
}

/** Keys sorted, white space of texts folded, no field that is `null`. */
function canonicalText(values: Values): string {
  let text = ''
  for (const name of Object.keys(values).sort()) {
    const value = values[name] ?? null
    if (value !== null) text += `${JSON.stringify(name)}:${canonical(value)}\n`
  }
  return text
}

function canonical(value: Json): string {
  if (typeof value === 'string') return JSON.stringify(foldText(value))
  // The one number that two texts mean: -0 is 0.
  if (typeof value !== 'object' || value === null) return String(value)
  return canonicalTree(value)
}

/** A part of the text that waits to be written: a value, or text as it is. */
type Waiting = { readonly value: Json } | { readonly text: string }

/** With a stack of its own, so that no nesting overflows ours. */
function canonicalTree(root: Json): string {
  const waiting: Waiting[] = [{ value: root }]
  const parts: string[] = []
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if ('text' in next) parts.push(next.text)
    else if (next.value === null || typeof next.value !== 'object') parts.push(canonical(next.value))
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
