import { elementSpan, isArrayAt, isObjectAt, memberSpan, rootSpan } from './json-text.ts'
import type { Span } from './json-text.ts'

/**
 * Returns the names of a dot path, from the root: `$.data.items`, `data.items`, `meta.0.next` and `meta[0].next`; `$`
 * has none.
 */
export function namesOf(path: string): readonly string[] {
  const plain = path.replace(/\[(\d+)\]/g, '.$1').replace(/^\$(?:\.|$)/, '')
  return plain === '' ? [] : plain.replace(/^\./, '').split('.')
}

/**
 * Returns the position of the value at a dot path in a JSON text, or null. Only names in the text itself are found, so
 * `__proto__` and `length` are ordinary names. Where a name of the path does not exist, the rest of the path is tried
 * as one name: `@odata.nextLink` is found too.
 */
export function findSpan(text: string, names: readonly string[]): Span | null {
  return find(text, rootSpan(text), names)
}

function find(text: string, span: Span, names: readonly string[]): Span | null {
  const [name, ...rest] = names
  if (name === undefined) return span
  if (isArrayAt(text, span.start)) {
    const element = /^\d{1,9}$/.test(name) ? elementSpan(text, span, Number(name)) : null
    return element && find(text, element, rest)
  }
  if (!isObjectAt(text, span.start)) return null
  const member = memberSpan(text, span, name)
  const found = member && find(text, member, rest)
  return found ?? (rest.length > 0 ? memberSpan(text, span, names.join('.')) : null)
}

/**
 * Returns the text with the value at a dot path replaced by another, given as JSON text. Missing objects on the path
 * are created. Null where the path leads through something that is not an object, or past the end of an array.
 */
export function withValueAt(text: string, names: readonly string[], json: string): string | null {
  // The root itself cannot be replaced.
  if (names.length === 0) return null
  const there = findSpan(text, names)
  if (there !== null) return splice(text, there, json)
  for (let known = names.length - 1; known >= 0; known -= 1) {
    const parent = findSpan(text, names.slice(0, known))
    if (parent === null) continue
    if (!isObjectAt(text, parent.start)) return null
    const member = `${JSON.stringify(names[known])}:${nested(names.slice(known + 1), json)}`
    const isEmpty = /^\{\s*\}$/.test(text.slice(parent.start, parent.end))
    return splice(text, { start: parent.start + 1, end: parent.start + 1 }, isEmpty ? member : `${member},`)
  }
  return null
}

function nested(names: readonly string[], json: string): string {
  return names.reduceRight((inner, name) => `{${JSON.stringify(name)}:${inner}}`, json)
}

function splice(text: string, { start, end }: Span, replacement: string): string {
  return text.slice(0, start) + replacement + text.slice(end)
}
