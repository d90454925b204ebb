import { createHash } from 'node:crypto'
import type { Json } from '../../schema/shape/json.ts'

const CUT = /^…\[truncated sha256:[0-9a-f]{32}\]$/

/** Returns the mark at the end of a value that was cut. `hex`: a hash of the whole value, in hexadecimal digits. */
export const cutMark = (hex: string): string => `…[truncated sha256:${hex.slice(0, 32)}]`

/** Returns the mark of a whole text or of all items of a list. */
export function markOf(whole: string | Iterable<Json>): string {
  const digest = createHash('sha256')
  if (typeof whole === 'string') digest.update(whole)
  else for (const item of whole) digest.update(JSON.stringify(item))
  return cutMark(digest.digest('hex'))
}

const MARK_LENGTH = cutMark('0'.repeat(32)).length

/** Returns the mark that a value ends in; null when it was not cut. */
function endMark(value: string | readonly Json[]): string | null {
  const last = typeof value === 'string' ? value : value.at(-1)
  if (typeof last !== 'string' || !last.endsWith(']')) return null
  const end = typeof value === 'string' ? last.slice(-MARK_LENGTH) : last
  return CUT.test(end) ? end : null
}

/** Returns a text without the mark that it ends in, and the mark; null when it was not cut. */
export function splitMark(text: string): { readonly text: string; readonly mark: string | null } {
  const mark = endMark(text)
  return { text: mark === null ? text : text.slice(0, -mark.length), mark }
}

/** Returns whether one or both were cut, and the whole values are the same. */
export function isSameWhole(one: string | readonly Json[], other: string | readonly Json[]): boolean {
  const [mark, otherMark] = [endMark(one), endMark(other)]
  if (mark === null && otherMark === null) return false
  return (mark ?? markOf(one)) === (otherMark ?? markOf(other))
}

/** Returns whether a list was cut: its last item is a mark. */
export function isCutList(list: readonly Json[]): boolean {
  const last = list.at(-1)
  return typeof last === 'string' && CUT.test(last)
}

/** Returns a list without its mark. */
export const withoutMark = (list: readonly Json[]) => (isCutList(list) ? list.slice(0, -1) : list)
