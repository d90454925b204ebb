import type { Json } from '../../schema/shape/json.ts'

/**
 * Marks in generated values: what is known only when a request is sent (the id of the third monitor of a chain), and
 * what JavaScript has no value for (1e400). They are strings between two characters of private use, so that a chain
 * stays data that can be shrunk and shown.
 */
const OPEN = '\uE000'
const CLOSE = '\uE001'

/** JSON text that stands in the body as it is. No quotes, no backslashes. */
export const raw = (text: string): string => `${OPEN}raw:${text}${CLOSE}`
/** The number of the first one that the chain has made. */
export const OLDEST = 999
/** Something of the chain, by its kind and its age: 0 is the newest. */
export const mark = (kind: string, index = 0): string => `${OPEN}${kind}:${index}${CLOSE}`

/** A value as JSON text, its marks filled in. */
export function textOf(value: Json, fill: (kind: string, index: number) => string): string {
  return JSON.stringify(value)
    .replace(/"\uE000raw:([^\uE001]*)\uE001"/g, '$1')
    .replace(/\uE000(\w+):(\d+)\uE001/g, (_, kind: string, index: string) =>
      JSON.stringify(fill(kind, Number(index))).slice(1, -1),
    )
}
