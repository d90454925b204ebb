import { createHash } from 'node:crypto'
import type { Json, Values } from '../../../schema/shape/json.ts'
import { dictionary } from '../dictionary.ts'
import { EXTRACT_LIMITS } from '../limits.ts'

interface Bounded {
  readonly values: Values
  readonly warnings: readonly string[]
}

/**
 * Cuts what exceeds the limits of a run: strings over 64 KiB, lists over 1,000 items, and fields beyond 256 KiB
 * together. Each cut value ends in a marker with the hash of the whole, so that a change after the cut is still a
 * change. A warning names the field.
 */
export function boundValues(values: Values): Bounded {
  const warnings: string[] = []
  const bounded = dictionary<Json>()
  let left: number = EXTRACT_LIMITS.resultBytes
  for (const [name, value] of Object.entries(values)) {
    const cut = boundField(value, left)
    if (cut !== value)
      warnings.push(
        `The field ${name} is longer than a run keeps; it was cut, and its hash shows when the rest changes.`,
      )
    bounded[name] = cut
    left = Math.max(0, left - sizeOf(cut))
  }
  return { values: { ...bounded }, warnings }
}

function boundField(value: Json, left: number): Json {
  const fitting = isList(value) ? boundList(value) : boundItem(value)
  return sizeOf(fitting) <= left ? fitting : cutText(textOfValue(value), Math.min(left, EXTRACT_LIMITS.itemBytes))
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

function boundList(list: readonly Json[]): readonly Json[] {
  const kept = list.slice(0, EXTRACT_LIMITS.items).map(boundItem)
  if (list.length > EXTRACT_LIMITS.items) kept[EXTRACT_LIMITS.items - 1] = marker(JSON.stringify(list))
  return kept.every((item, i) => item === list[i]) && kept.length === list.length ? list : kept
}

function boundItem(value: Json): Json {
  return sizeOf(value) <= EXTRACT_LIMITS.itemBytes ? value : cutText(textOfValue(value), EXTRACT_LIMITS.itemBytes)
}

function textOfValue(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function sizeOf(value: Json): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  return typeof value === 'object' && value !== null ? Buffer.byteLength(JSON.stringify(value)) : 8
}

/** Returns the longest prefix that fits with the marker, not cut inside a character. */
function cutText(text: string, bytes: number): string {
  const mark = marker(text)
  const room = Math.max(0, bytes - Buffer.byteLength(mark))
  return new TextDecoder().decode(Buffer.from(text.slice(0, room)).subarray(0, room)).replace(/�+$/, '') + mark
}

function marker(whole: string): string {
  return `…[truncated sha256:${createHash('sha256').update(whole).digest('hex').slice(0, 32)}]`
}
