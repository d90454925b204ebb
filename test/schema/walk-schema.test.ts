import Type from 'typebox'
import { describe, expect, test } from 'vitest'
import { Closed, Dictionary, Nullable, Text } from '../../schema/shape/shape.ts'
import { keysOf, walkSchema } from '../../schema/shape/walk-schema.ts'

const Thing = Closed({
  name: Text(0, 10, 'A name.'),
  tags: Type.Array(Closed({ tag: Text(0, 10, 'A tag.') })),
  notes: Nullable(Dictionary(Text(0, 10, 'A note.'), { maxProperties: 3 })),
})

const VALUE = { name: 'a', tags: [{ tag: 'b', unknown: 1 }], notes: { x: 'c' }, more: { name: 'd' } }

describe('a walk along schema and value', () => {
  test('visits what the schema describes, and says where it is', () => {
    const seen = walkSchema<string>(Thing, VALUE, (place, inner) => [keysOf(place).join('.'), ...inner()])
    expect(seen).toEqual(['', 'name', 'tags', 'tags.0', 'tags.0.tag', 'notes', 'notes.x'])
  })

  test('enters a property when the visitor asks for it, in the order that it asks', () => {
    const seen = walkSchema<string>(Thing, VALUE, (place, inner) => {
      const here = keysOf(place).join('.')
      return here === 'tags' ? [here] : [...inner(), here]
    })
    expect(seen).toEqual(['name', 'tags', 'notes.x', 'notes', ''])
  })

  test('does not visit a null that is allowed', () => {
    const seen = walkSchema(Thing, { notes: null }, (place, inner) => [place.value, ...inner()])
    expect(seen).toEqual([{ notes: null }])
  })
})
