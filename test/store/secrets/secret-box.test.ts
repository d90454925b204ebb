import { expect, test } from 'vitest'
import { createSecretBox, type SealedPlace } from '../../../store/secrets/secret-box.ts'

const box = createSecretBox('the key of a test')
const place: SealedPlace = { teamId: '11111111-1111-4111-8111-111111111111', column: 'monitors.request_headers' }
const value = { Authorization: 'Bearer canary-8f3a', umlaut: 'ü' }

test('what was sealed is opened again, and does not show in the sealed bytes', () => {
  const sealed = box.seal(place, value)
  expect(box.open(place, sealed)).toEqual(value)
  expect(sealed.includes('canary')).toBe(false)
})

test('the same value is sealed differently each time', () => {
  expect(box.seal(place, value).equals(box.seal(place, value))).toBe(false)
})

test('a value moved to another team or column does not open', () => {
  const sealed = box.seal(place, value)
  expect(() => box.open({ ...place, teamId: '22222222-2222-4222-8222-222222222222' }, sealed)).toThrow(
    'cannot be opened',
  )
  expect(() => box.open({ ...place, column: 'deliveries.target' }, sealed)).toThrow('cannot be opened')
})

test('a value altered in any byte, or cut, does not open', () => {
  const sealed = box.seal(place, value)
  for (let at = 0; at < sealed.length; at++) {
    const altered = Buffer.from(sealed)
    altered[at] = (altered[at] ?? 0) ^ 1
    expect(() => box.open(place, altered), `byte ${at}`).toThrow(/sealed|secret/)
  }
  for (const length of [0, 1, 28, 29, sealed.length - 1])
    expect(() => box.open(place, sealed.subarray(0, length))).toThrow(/sealed|secret/)
})

test('another key opens nothing, and the error names the setting and not the value', () => {
  const sealed = box.seal(place, value)
  expect(() => createSecretBox('another key of a test').open(place, sealed)).toThrow(
    /^a secret cannot be opened: TIDEMARK_ENCRYPTION_KEY/,
  )
})

test('another process with the same key opens it, from any view of bytes', () => {
  const sealed = box.seal(place, value)
  const within = new Uint8Array(sealed.length + 7)
  within.set(sealed, 7)
  expect(createSecretBox('the key of a test').open(place, within.subarray(7))).toEqual(value)
})
