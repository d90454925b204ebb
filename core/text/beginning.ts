import type { Json } from '../../schema/shape/json.ts'
import { showValue } from './show-value.ts'

/** White space and characters that are not shown stand between those that are, so more are looked at. */
const LOOKED_AT = 8
/** How much of the common beginning of two texts is shown before they differ. */
const LEAD = 16

/** Returns the beginning of a value as a person would read it, in at most `max` characters, `…` included. */
export function beginningOf(value: Json, max: number): string {
  return cut(showValue(near(value, max)), max)
}

/**
 * Returns the beginnings of two values. If what differs lies behind them, they begin shortly before it: two equal
 * beginnings would not show what changed.
 */
export function beginningsOf(before: Json, after: Json, max: number): [string, string] {
  if (typeof before !== 'string' || typeof after !== 'string')
    return [beginningOf(before, max), beginningOf(after, max)]
  const parting = commonLength(before, after)
  if (parting < max - LEAD) return [beginningOf(before, max), beginningOf(after, max)]
  const from = parting - LEAD
  return [`…${beginningOf(before.slice(from), max - 1)}`, `…${beginningOf(after.slice(from), max - 1)}`]
}

/** Returns as much of a value as its beginning needs: the whole may be a megabyte. */
function near(value: Json, max: number): Json {
  if (typeof value === 'string') return value.trimStart().slice(0, max * LOOKED_AT)
  if (typeof value !== 'object' || value === null) return value
  if (isList(value)) return value.slice(0, max).map((item) => near(item, max))
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, max)
      .map(([key, part]) => [key.slice(0, max), near(part, max)]),
  )
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value)

/** Cuts between code points. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text
  const characters = Array.from(text.slice(0, 2 * max))
  if (characters.length <= max && text.length <= 2 * max) return text
  return `${characters
    .slice(0, max - 1)
    .join('')
    .trimEnd()}…`
}

function commonLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length)
  let length = 0
  while (length < most && a.charCodeAt(length) === b.charCodeAt(length)) length++
  return length
}
