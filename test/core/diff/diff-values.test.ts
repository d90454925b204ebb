import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { diffValues, equalValues } from '../../../core/diff/diff-values.ts'
import type { Values } from '../../../schema/shape/json.ts'
import { readings } from '../values.ts'

describe('the difference of two readings', () => {
  test('is null when nothing differs', () => {
    expect(diffValues({ a: 1, b: ' x ' }, { b: 'x', a: 1 }, ['a', 'b'])).toBeNull()
  })

  test('names the changed fields in the order of the config and holds these only, as they were extracted', () => {
    const before = { z: 'old ', a: 1, same: 'x' }
    const after = { same: 'x', a: 2, z: ' new' }
    expect(diffValues(before, after, ['z', 'same', 'a'])).toEqual({
      fields_changed: ['z', 'a'],
      before: { z: 'old ', a: 1 },
      after: { z: ' new', a: 2 },
    })
  })

  test.each<[string, Values, Values]>([
    ['appears', { a: null }, { a: 1 }],
    ['appears that was absent', {}, { a: 1 }],
  ])('a field that %s is a change from null', (_, before, after) => {
    expect(diffValues(before, after, ['a'])).toEqual({ fields_changed: ['a'], before: { a: null }, after: { a: 1 } })
  })

  test('a field that vanishes is a change to null', () => {
    expect(diffValues({ a: 1 }, {}, ['a'])).toEqual({ fields_changed: ['a'], before: { a: 1 }, after: { a: null } })
  })

  test('absent and null are the same', () => {
    expect(diffValues({}, { a: null }, ['a'])).toBeNull()
  })

  test('fields that the config does not name are compared too, and come last', () => {
    const diff = diffValues({ x: 1, a: 1, gone: 1 }, { x: 2, a: 2 }, ['a'])
    expect(diff?.fields_changed).toEqual(['a', 'x', 'gone'])
  })

  test('a field named like something of Object.prototype is a field', () => {
    const after = JSON.parse('{"__proto__": 1, "constructor": 2}') as Values
    const diff = diffValues({}, after, ['__proto__', 'constructor', 'toString'])
    expect(diff?.fields_changed).toEqual(['__proto__', 'constructor'])
    expect(JSON.stringify(diff?.after)).toBe('{"__proto__":1,"constructor":2}')
    expect(JSON.stringify(diff?.before)).toBe('{"__proto__":null,"constructor":null}')
  })

  test('holds every field that differs, no other, and both its values', () => {
    fc.assert(
      fc.property(readings, readings, (before, after) => {
        const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
        const own = (values: Values, name: string) => (Object.hasOwn(values, name) ? (values[name] ?? null) : null)
        const changed = names.filter((name) => !equalValues(own(before, name), own(after, name)))
        const diff = diffValues(before, after, names)
        expect(diff?.fields_changed ?? []).toEqual(changed)
        for (const name of changed) {
          expect(own(diff?.before as Values, name)).toBe(own(before, name))
          expect(own(diff?.after as Values, name)).toBe(own(after, name))
        }
        expect(Object.keys(diff?.before ?? {}).sort()).toEqual(changed.toSorted())
      }),
    )
  })

  test('turned around it has before and after exchanged', () => {
    fc.assert(
      fc.property(readings, readings, (before, after) => {
        const names = Object.keys({ ...before, ...after })
        const there = diffValues(before, after, names)
        const back = diffValues(after, before, names)
        expect(back && { ...back, before: back.after, after: back.before }).toEqual(there)
      }),
    )
  })
})
