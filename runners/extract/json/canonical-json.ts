import type { Json } from '../../../schema/shape/json.ts'
import { dictionary } from '../dictionary.ts'

/**
 * Returns JSON text with the keys of every object in code unit order. Two responses that differ only in key order or
 * white space give the same text.
 */
export function canonicalJson(value: Json): string {
  return JSON.stringify(value, (_key, inner: Json) => (isObject(inner) ? sortedCopy(inner) : inner))
}

function isObject(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function sortedCopy(object: { readonly [key: string]: Json }): { [key: string]: Json } {
  // Without a prototype, so that a key named `__proto__` is a key. Keys that look like indexes always come first, in
  // every copy alike.
  const copy = dictionary<Json>()
  for (const key of Object.keys(object).sort()) copy[key] = object[key] ?? null
  return copy
}
