import fc from 'fast-check'
import type { Json } from '../../schema/shape/json.ts'
import type { ApiDocument, Schema } from './document.ts'
import { HINTS } from './hints.ts'
import { mark } from './marks.ts'

/** Single code points, so that a length is what the document means by it. */
const CHARACTERS = Array.from(
  ' aZ09_-.,:;!?\'"\\/<>&%$#@{}[]()=+*~`^|éßñÄ漢字日本あ한글עבריתالعربية😀🏽👩\u200d\u202e\u00a0\t\n\u007f\ufeff\ufffd',
)
const character = fc.constantFrom(...CHARACTERS)
const plainKey = fc.constantFrom('a', 'b', 'the key', '😀', 'toString', 'constructor', '0', 'a.b', '')

const anyJson: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value)),
    fc.string({ unit: character, maxLength: 10 }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(plainKey, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value

/**
 * Values that a schema of the document allows, and that the service takes too: where the document says less than holds
 * (an address has to be one), a hint of `hints.ts` says more.
 */
export function valid(
  document: ApiDocument,
  schema: Schema,
  at: string,
  above: readonly string[] = [],
): fc.Arbitrary<Json> {
  const { schema: node, name } = document.resolve(schema)
  const within = name === null ? above : [...above, name]
  const here = name ?? at
  const plain = () => byKeywords(document, node, here, within)
  const hint = HINTS[here] ?? HINTS[here.replace(/^[^.]+/, '*')]
  return hint ? hint(plain) : plain()
}

function byKeywords(document: ApiDocument, node: Schema, at: string, above: readonly string[]): fc.Arbitrary<Json> {
  const inner = (schema: Schema, where: string) => valid(document, schema, where, above)
  const variants = node.oneOf ?? node.anyOf
  if (variants) {
    const open =
      above.filter((name) => name === at).length < 3
        ? variants
        : variants.filter((variant) => !isRecursive(document, variant, at))
    return fc.oneof(...open.map((variant) => inner(variant, at)))
  }
  if (node.const !== undefined) return fc.constant(node.const)
  if (node.enum) return fc.constantFrom(...node.enum)
  switch (node.type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.integer({ min: node.minimum ?? -1000, max: node.maximum ?? 1000 })
    case 'number':
      return fc.double({ min: node.minimum ?? -1e6, max: node.maximum ?? 1e6, noNaN: true }).map((value) => value + 0)
    case 'string':
      return texts(node)
    case 'array':
      return lists(node, inner(node.items ?? {}, `${at}[]`))
    case 'object':
      return objects(node, at, inner)
    default:
      return anyJson
  }
}

const isRecursive = (document: ApiDocument, variant: Schema, name: string) =>
  JSON.stringify(document.resolve(variant).schema).includes(`"#/components/schemas/${name}"`)

function lists(
  { minItems = 0, maxItems = 3, uniqueItems = false }: Schema,
  item: fc.Arbitrary<Json>,
): fc.Arbitrary<Json> {
  const bounds = { minLength: minItems, maxLength: Math.min(maxItems, Math.max(minItems, 3)) }
  return uniqueItems
    ? fc.uniqueArray(item, { ...bounds, selector: (value) => JSON.stringify(value) })
    : fc.array(item, bounds)
}

function texts({ format, pattern, minLength = 0, maxLength = 40 }: Schema): fc.Arbitrary<Json> {
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern)).map((text) => text.slice(0, maxLength))
  if (format === 'uuid')
    return fc.oneof({ weight: 4, arbitrary: fc.constant(mark('monitor')) }, { weight: 1, arbitrary: fc.uuid() })
  if (format === 'date-time')
    return fc
      .date({ min: new Date('2027-01-01'), max: new Date('2099-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString())
  return fc.string({ unit: character, minLength, maxLength: Math.min(maxLength, Math.max(minLength, 20)) })
}

function objects(
  node: Schema,
  at: string,
  inner: (schema: Schema, where: string) => fc.Arbitrary<Json>,
): fc.Arbitrary<Json> {
  if (node.properties) {
    const model = Object.entries(node.properties).map(([key, schema]) => [key, inner(schema, `${at}.${key}`)] as const)
    const requiredKeys = [...(node.required ?? [])]
    return fc.record(Object.fromEntries(model), { requiredKeys, noNullPrototype: true })
  }
  const values = typeof node.additionalProperties === 'object' ? inner(node.additionalProperties, `${at}{}`) : anyJson
  const bounds = {
    minKeys: node.minProperties ?? 0,
    maxKeys: Math.min(node.maxProperties ?? 3, 4),
    noNullPrototype: true,
  }
  return fc.dictionary(
    plainKey.filter((key) => key !== ''),
    values,
    bounds,
  )
}
