import fc from 'fast-check'
import type { Json, Values } from '../../schema/shape/json.ts'

/** Text in which white space matters or does not. */
export const texts = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc
    .array(fc.constantFrom('a', 'b', ' ', '  ', '\n', '\t', '\u00a0', '"', '\\', '\ud83d\ude00'), { maxLength: 8 })
    .map((parts) => parts.join('')),
)

const names = fc.oneof(fc.constantFrom('a', 'b', 'c', '__proto__', 'toString', '1', ''), fc.string({ maxLength: 5 }))

/** Any JSON value, shallow enough to shrink well. */
export const jsons: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<Json>(null, true, false, 0, 1, -1, ''),
    texts,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(names, tie('value')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
  ),
})).value

export const readings: fc.Arbitrary<Values> = fc
  .array(fc.tuple(names, jsons), { maxLength: 5 })
  .map((entries) => Object.fromEntries(entries))

/** The same to a person, written otherwise: keys in another order, white space stretched, -0 for 0. */
export function rewritten(value: Json): Json {
  if (typeof value === 'string') return `\n${value.replace(/\s/g, ' \t ')} `
  if (value === 0) return -0
  if (Array.isArray(value)) return (value as Json[]).map(rewritten)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, rewritten(item)]),
  )
}
