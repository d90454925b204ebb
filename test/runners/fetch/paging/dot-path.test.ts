import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findSpan, namesOf, withValueAt } from '../../../../runners/fetch/paging/dot-path.ts'

const at = (json: string, path: string): string | null => {
  const span = findSpan(json, namesOf(path))
  return span && json.slice(span.start, span.end)
}
const set = (json: string, path: string, value: string) => withValueAt(json, namesOf(path), value)

describe('a dot path', () => {
  test.each([
    ['{"a":{"b":[1,{"c":"x"}]}}', 'a.b.1.c', '"x"'],
    ['{"a":{"b":[1,{"c":"x"}]}}', '$.a.b.1.c', '"x"'],
    ['{"a":{"b":[1,{"c":"x"}]}}', 'a.b[1].c', '"x"'],
    [' [ [ 1 , 2 ] ] ', '0.1', '2'],
    [' [ [ 1 , 2 ] ] ', '$[0][1]', '2'],
    [' [1] ', '$', '[1]'],
    ['{"$":1}', '$', '{"$":1}'],
    ['{"a":1,"a":2}', 'a', '2'],
    ['{"a":12345678901234567890}', 'a', '12345678901234567890'],
    [String.raw`{"\u0061":1}`, 'a', '1'],
    [String.raw`{"q\"uote":"}"}`, 'q"uote', '"}"'],
    ['{"a":[]}', 'a.0', null],
    ['{"a":[1]}', 'a.-1', null],
    ['{"a":[1]}', 'a.length', null],
    ['{"a":"text"}', 'a.0', null],
    ['{"a":1}', 'a..b', null],
    ['{}', 'a', null],
  ])('in %s: %s is %s', (json, path, value) => {
    expect(at(json, path)).toBe(value)
  })

  test('finds a name with dots in it where its parts are no names', () => {
    expect(at('{"@odata.nextLink":"/2"}', '@odata.nextLink')).toBe('"/2"')
    expect(at('{"m":{"@odata.count":7}}', '$.m.@odata.count')).toBe('7')
    expect(at('{"a.b":1,"a":{"b":2}}', 'a.b')).toBe('2')
  })

  test.each(['__proto__', 'constructor', 'constructor.prototype', 'toString', '__proto__.polluted', 'hasOwnProperty'])(
    'finds only what the answer holds: %s',
    (path) => {
      expect(at('{}', path)).toBeNull()
      expect(at('[]', path)).toBeNull()
      expect(at(`{"${path}":1}`, path)).toBe('1')
      expect(set('{}', path, '{"polluted":true}')).toContain('polluted')
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    },
  )

  test('finds in any JSON what a walk over the parsed value finds', () => {
    // No backslash: once V8 13.6 has parsed an object with the key "\\", it takes later keys that begin with an escape
    // for that one.
    const key = fc
      .oneof(fc.constantFrom('a', 'b', '__proto__', 'é', '"', '\n', ' ', ''), fc.string({ maxLength: 3 }))
      .map((name) => name.replaceAll('\\', '/'))
    const tree = fc.letrec((tie) => ({
      node: fc.oneof(
        { depthSize: 'small' },
        fc.jsonValue({ maxDepth: 0 }),
        fc.array(tie('node')),
        fc.dictionary(key, tie('node')),
      ),
    })).node
    const spacing = fc.constantFrom(0, 2, '\t')
    fc.assert(
      fc.property(
        tree,
        fc.array(fc.oneof(key, fc.nat(3).map(String)), { maxLength: 4 }),
        spacing,
        (value, names, space) => {
          const json = JSON.stringify(value, null, space)
          const span = findSpan(json, names)
          const expected = walk(JSON.parse(json), names)
          expect(span === null ? undefined : JSON.parse(json.slice(span.start, span.end))).toEqual(expected)
        },
      ),
      { numRuns: 1_000 },
    )
  })
})

/** The obvious way, for comparison; with the rest of the path as one name where its parts lead nowhere. */
function walk(value: unknown, names: readonly string[]): unknown {
  const [name, ...rest] = names
  if (name === undefined) return value
  if (typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value))
    return /^\d{1,9}$/.test(name) && Number(name) < value.length ? walk(value[Number(name)], rest) : undefined
  const own = (key: string): unknown => Object.getOwnPropertyDescriptor(value, key)?.value
  const inner = Object.hasOwn(value, name) ? walk(own(name), rest) : undefined
  return inner === undefined && rest.length > 0 ? own(names.join('.')) : inner
}

describe('a value that is put at a dot path', () => {
  test.each([
    ['{"page":1}', 'page', '2', '{"page":2}'],
    ['{"a":{"page":1,"b":2}}', 'a.page', '2', '{"a":{"page":2,"b":2}}'],
    ['{}', 'page', '2', '{"page":2}'],
    ['{ }', 'a.b.c', '"x"', '{"a":{"b":{"c":"x"}} }'],
    ['{"z":1}', 'a.b', '2', '{"a":{"b":2},"z":1}'],
    ['{"a":{"z":1}}', '$.a.b', '2', '{"a":{"b":2,"z":1}}'],
    ['{"a":[{"p":1},{"p":1}]}', 'a.1.p', '9', '{"a":[{"p":1},{"p":9}]}'],
    ['{"id":12345678901234567890}', 'page', '2', '{"page":2,"id":12345678901234567890}'],
    ['{"a":1}', 'a.b', '2', null],
    ['{"a":1}', '$', '2', null],
    ['{"a":[1]}', 'a.5', '2', null],
    ['{"a":[1]}', 'a.b', '2', null],
  ])('in %s at %s: %s makes %s', (json, path, value, expected) => {
    expect(set(json, path, value)).toBe(expected)
  })

  test('is found there again, and nothing else has changed', () => {
    const name = fc.constantFrom('a', 'b', 'c', '__proto__', 'x y')
    const body = fc.dictionary(name, fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.dictionary(name, fc.integer())))
    fc.assert(
      fc.property(body, fc.array(name, { minLength: 1, maxLength: 3 }), fc.integer(), (value, names, number) => {
        const json = JSON.stringify(value)
        const changed = withValueAt(json, names, String(number))
        if (changed === null) return
        expect(walk(JSON.parse(changed), names)).toBe(number)
        const before = JSON.parse(json) as Record<string, unknown>
        const after = JSON.parse(changed) as Record<string, unknown>
        for (const other of Object.keys(before).filter((key) => key !== names[0]))
          expect(Object.getOwnPropertyDescriptor(after, other)?.value).toEqual(
            Object.getOwnPropertyDescriptor(before, other)?.value,
          )
      }),
      { numRuns: 1_000 },
    )
  })
})
