import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { keyId } from '../../../core/derived-key.ts'
import {
  createSecretBox,
  type SealedPlace,
  SEALED_COLUMNS,
  UnreadableSecretError,
} from '../../../store/secrets/secret-box.ts'

const box = createSecretBox('the key of a test')
const place: SealedPlace = {
  teamId: '11111111-1111-4111-8111-111111111111',
  column: 'monitors.request_headers',
  rowId: '33333333-3333-4333-8333-333333333333',
}
const value = { Authorization: 'Bearer canary-8f3a', umlaut: 'ü' }
const SHORTEST = 33

test('what was sealed is opened again, and does not show in the sealed bytes', () => {
  const sealed = box.seal(place, value)
  expect(box.open(place, sealed)).toEqual(value)
  expect(sealed.includes('canary')).toBe(false)
})

test('the same value is sealed differently each time', () => {
  expect(box.seal(place, value).equals(box.seal(place, value))).toBe(false)
})

test('a value moved to another team, column or row does not open, and the error shows the row and no secret', () => {
  const sealed = box.seal(place, value)
  const other = '22222222-2222-4222-8222-222222222222'
  const moved: SealedPlace[] = [
    { ...place, teamId: other },
    { ...place, rowId: other },
    ...SEALED_COLUMNS.filter((column) => column !== place.column).map((column) => ({ ...place, column })),
  ]
  for (const to of moved)
    expect(() => box.open(to, sealed)).toThrow(
      `the secret in ${to.column} of the row ${to.rowId} cannot be opened: it was altered, or moved there from ` +
        'another row; set it again',
    )
})

test('a value altered in any byte, or cut, does not open', () => {
  const sealed = box.seal(place, value)
  for (let at = 0; at < sealed.length; at++) {
    const altered = Buffer.from(sealed)
    altered[at] = (altered[at] ?? 0) ^ 1
    expect(() => box.open(place, altered), `byte ${at}`).toThrow(UnreadableSecretError)
  }
  for (const length of [0, 1, SHORTEST - 1, SHORTEST, sealed.length - 1])
    expect(() => box.open(place, sealed.subarray(0, length))).toThrow(UnreadableSecretError)
})

test('a key that is not listed opens nothing, and the error shows its id and what to do', () => {
  const sealed = box.seal(place, value)
  expect(() => createSecretBox('another key of a test').open(place, sealed)).toThrow(
    `it was encrypted with the key ${keyId('the key of a test')}, which TIDEMARK_ENCRYPTION_KEY does not list`,
  )
})

test('another process with the same key opens it, from any view of bytes', () => {
  const sealed = box.seal(place, value)
  const within = new Uint8Array(sealed.length + 7)
  within.set(sealed, 7)
  expect(createSecretBox('the key of a test').open(place, within.subarray(7))).toEqual(value)
})

describe('a list of keys', () => {
  const both = createSecretBox('the newer key of a test, the key of a test')

  test('stays as it is when it is given a list without a key', () => {
    const changing = createSecretBox('one key')
    expect(() => changing.adopt(' , ')).toThrow('an encryption key is needed')
    expect(changing.keyIds).toEqual([keyId('one key')])
    expect(changing.open(place, changing.seal(place, 'x'))).toBe('x')
  })

  test('seals with the newest and opens with each', () => {
    expect(both.keyIds).toEqual([keyId('the newer key of a test'), keyId('the key of a test')])
    expect(both.open(place, box.seal(place, value))).toEqual(value)
    expect(createSecretBox('the newer key of a test').open(place, both.seal(place, value))).toEqual(value)
    expect(() => box.open(place, both.seal(place, value))).toThrow(UnreadableSecretError)
  })
})

describe('whatever the value and its row', () => {
  const key = fc.string({ minLength: 1 }).filter((text) => text.trim() !== '' && !text.includes(','))
  const anywhere = fc.record({ teamId: fc.uuid(), column: fc.constantFrom(...SEALED_COLUMNS), rowId: fc.uuid() })

  test('it opens with its key at its row, and nowhere else', () => {
    const properties = fc.property(key, key, anywhere, anywhere, fc.json(), (own, other, here, there, json) => {
      const parsed: unknown = JSON.parse(json)
      const sealed = createSecretBox(`${own},${other}`).seal(here, parsed)
      expect(createSecretBox(`${other},${own}`).open(here, sealed)).toEqual(parsed)
      const isSame = here.teamId === there.teamId && here.column === there.column && here.rowId === there.rowId
      if (!isSame) expect(() => createSecretBox(own).open(there, sealed)).toThrow(UnreadableSecretError)
      if (own.trim() !== other.trim())
        expect(() => createSecretBox(other).open(here, sealed)).toThrow(UnreadableSecretError)
    })
    fc.assert(properties, { numRuns: 200 })
  })

  test('no bytes make it throw anything but its own error', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 100 }),
      fc.uint8Array({ maxLength: 100 }).map((rest) => Buffer.concat([box.seal(place, '').subarray(0, 5), rest])),
    )
    fc.assert(
      fc.property(bytes, (sealed) => {
        expect(() => box.open(place, sealed)).toThrow(UnreadableSecretError)
      }),
    )
  })
})
