import Type, { type TSchema } from 'typebox'
import { describe, expect, test } from 'vitest'
import { Closed, Dictionary, Nullable, Tagged, Text, Whole } from '../../schema/shape/shape.ts'
import { nodeOf } from '../../schema/shape/walk-schema.ts'
import { customResourceDefinition } from '../../tools/generate/crd/custom-resource-definition.ts'
import { KINDS } from '../../tools/generate/crd/kinds.ts'
import type { StructuralSchema } from '../../tools/generate/crd/structural-schema.ts'
import { toStructural } from '../../tools/generate/crd/to-structural.ts'

const structural = (schema: TSchema) => toStructural(nodeOf(schema), 'place')

describe('from a definition to a structural schema', () => {
  test.each<[string, TSchema, RegExp]>([
    ['a union', Type.Union([Type.String(), Type.Number()]), /^place: a union/],
    ['a string without bounds', Type.String(), /^place: a string must be bounded/],
    ['a list without bounds', Type.Array(Text(1, 2)), /^place: a list must be bounded/],
    ['a map without bounds', Type.Record(Type.String(), Text(1, 2)), /^place: a map must be bounded/],
    [
      'a fault further down',
      Closed({ a: Type.Array(Closed({ b: Type.String() }), { maxItems: 1 }) }),
      /^place.a\[\].b:/,
    ],
    ['a null of its own', Type.Null(), /^place: null is not valid/],
  ])('refuses %s', (_, schema, message) => {
    expect(() => structural(schema)).toThrow(message)
  })

  test('writes names in camelCase, but not the keys that a person chooses', () => {
    const schema = Closed({
      first_key: Nullable(Dictionary(Text(1, 9), { maxProperties: 3 })),
      fullPage: Type.Boolean(),
    })
    expect(structural(schema)).toEqual({
      type: 'object',
      required: ['firstKey', 'fullPage'],
      properties: {
        firstKey: {
          type: 'object',
          nullable: true,
          maxProperties: 3,
          additionalProperties: { type: 'string', minLength: 1, maxLength: 9 },
        },
        fullPage: { type: 'boolean' },
      },
    })
  })

  test('leaves a default out where only some arms know the key', () => {
    const own = Type.Optional(Whole(0, 9, { default: 1 }))
    const shape = structural(Tagged('kind', { a: { of_a: own, of_both: own }, b: { of_both: own } }))
    expect(shape.properties).toMatchObject({ ofA: { description: 'Default 1.' }, ofBoth: { default: 1 } })
    expect(shape.properties?.['ofA']).not.toHaveProperty('default')
  })

  test.each(KINDS)('describes every property of $kind', (kind) => {
    const { properties } = customResourceDefinition(kind).spec.versions[0]!.schema.openAPIV3Schema
    expect([...undescribed(properties.spec, 'spec'), ...undescribed(properties.status, 'status')]).toEqual([])
  })

  test('leaves the template out and lets a manifest suspend', () => {
    const { spec, status } = customResourceDefinition(KINDS[0]!).spec.versions[0]!.schema.openAPIV3Schema.properties
    expect(Object.keys(spec.properties ?? {})).toEqual([
      'name',
      'url',
      'scheduleIntervalSeconds',
      'extractConfig',
      'diffPredicate',
      'deliveries',
      'fetchMode',
      'requestHeaders',
      'requestHeadersFrom',
      'requestConfig',
      'visualConfig',
      'notifyOn',
      'quietHours',
      'message',
      'digest',
      'isolation',
      'suspend',
    ])
    expect(Object.keys(status.properties ?? {})).toContain('conditions')
  })
})

/** Returns the paths of properties without a description. */
function undescribed(node: StructuralSchema, path: string): string[] {
  const { properties = {}, items, additionalProperties: values } = node
  return [
    ...(Object.entries(properties) as [string, StructuralSchema][]).flatMap(([name, child]) => [
      ...(child.description === undefined ? [`${path}.${name}`] : []),
      ...undescribed(child, `${path}.${name}`),
    ]),
    ...(items ? undescribed(items, `${path}[]`) : []),
    ...(values ? undescribed(values, `${path}{}`) : []),
  ]
}
