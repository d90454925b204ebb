import fc from 'fast-check'
import { expect, test } from 'vitest'
import { storable } from '../../core/storable.ts'

test('values that the store can keep stay the very same object', () => {
  const values = { a: 'é 👍', b: [1, null, { c: '\\u0000' }], d: true }
  expect(storable(values)).toBe(values)
})

test('NUL and lone surrogates become replacement characters at any depth, also in keys; all else stays', () => {
  const values = { a: 'x\0y', b: [{ 'k\ud800': '\udfff' }], c: '\\u0000 \\ud800', d: '👍' }
  expect(storable(values)).toEqual({ a: 'x\ufffdy', b: [{ 'k\ufffd': '\ufffd' }], c: '\\u0000 \\ud800', d: '👍' })
})

test('what JSON has no number for becomes null, at any depth; nothing else does', () => {
  expect(storable({ a: Infinity, b: [1, { c: -Infinity, d: [NaN, null] }], e: 'null' })).toEqual({
    a: null,
    b: [1, { c: null, d: [null, null] }],
    e: 'null',
  })
})

test('whatever comes in, what comes out is well-formed, without NUL, and stays as it is a second time', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\0', '\ud800', '\\', '\\\0', '\\u0000', '\udc00\ud800'),
  )
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.oneof(text, fc.array(text))), (values) => {
      const kept = storable(values)
      const flat = Object.values(kept).flat()
      expect(flat.every((item) => typeof item === 'string' && item.isWellFormed() && !item.includes('\0'))).toBe(true)
      expect(storable(kept)).toBe(kept)
    }),
  )
})
