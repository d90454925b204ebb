import { PARENT_VALUES, VALUES, type ValueNode } from './walk-values.ts'

/** Returns `values.schema.json` of the chart. Helm refuses values that it does not allow. */
export const valuesSchema = (): string => `${JSON.stringify({ ...HEAD, ...asDraft7(VALUES, []) }, null, 2)}\n`

const HEAD = { $schema: 'http://json-schema.org/draft-07/schema#', title: 'Values of Tidemark' }

/** Keywords that Helm's validator reads. Formats and our own keywords are not among them. */
const KEPT = [
  'type',
  'description',
  'default',
  'enum',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'pattern',
  'propertyNames',
] as const

/** Helm merges values with the defaults before it validates, but those in lists: no other key is required. */
function asDraft7(node: ValueNode, path: readonly string[]): Record<string, unknown> {
  const from = node as Readonly<Record<string, unknown>>
  const kept = Object.fromEntries(KEPT.filter((name) => from[name] !== undefined).map((name) => [name, from[name]]))
  const items = from['items'] as ValueNode | undefined
  return {
    ...kept,
    ...(path.includes('*') && node.required && node.required.length > 0 && { required: node.required }),
    ...(items && { items: asDraft7(items, [...path, '*']) }),
    ...(node.properties && {
      properties: Object.fromEntries(
        Object.entries({ ...node.properties, ...(node === VALUES && PARENT_VALUES.properties) }).map(([key, child]) => [
          key,
          asDraft7(child, [...path, key]),
        ]),
      ),
    }),
    ...(node.additionalProperties !== undefined && {
      additionalProperties:
        typeof node.additionalProperties === 'object'
          ? asDraft7(node.additionalProperties, [...path, '*'])
          : node.additionalProperties,
    }),
  }
}
