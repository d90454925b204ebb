import type { Json } from '../../schema/shape/json.ts'
import { cleanText } from './clean-text.ts'

/** Returns a value as a person would read it, on one line, of any length. */
export function showValue(value: Json): string {
  if (value === null) return 'nothing'
  if (typeof value === 'string') return cleanText(value) || 'empty text'
  if (typeof value !== 'object') return String(value)
  return isList(value) ? showList(value) : showObject(value)
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value)
const isFlat = (value: Json): boolean => value === null || typeof value !== 'object'

function showList(list: readonly Json[]): string {
  if (list.length === 0) return 'empty list'
  return list.every(isFlat) ? list.map(showValue).join(', ') : cleanText(JSON.stringify(list))
}

function showObject(object: { readonly [key: string]: Json }): string {
  const entries = Object.entries(object)
  if (entries.length === 0) return 'empty object'
  if (!entries.every(([, value]) => isFlat(value))) return cleanText(JSON.stringify(object))
  return entries.map(([key, value]) => `${cleanText(key)}: ${showValue(value)}`).join(', ')
}
