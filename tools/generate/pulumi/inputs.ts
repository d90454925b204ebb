import { camelCase } from '../../../core/custom-resource/camel-case.ts'
import { inCamelCase } from '../../../core/custom-resource/property-words.ts'
import { SECRET_PLACES, secretKeyBeside } from '../../../core/custom-resource/secret-places.ts'
import { RESOURCE_API } from '../../../schema/resource-kind.ts'
import { LOWER_CASE, VARIANTS, type VariantTable } from '../../../schema/shape/shape.ts'
import { nodeOf, type SchemaNode, withoutNull } from '../../../schema/shape/walk-schema.ts'
import { isSection, VALUES } from '../chart/walk-values.ts'
import { KINDS, type Kind } from '../crd/kinds.ts'
import { type ArgsFile, argsFile, type Style } from './args-file.ts'

const HEAD = '// Generated from schema/ by `npm run gen`.\n'
const PULUMI = "import type * as pulumi from '@pulumi/pulumi'\n"

/** Lists whose items have a name that is not the list's without its last letter. */
const ITEM_NAMES: Readonly<Record<string, string>> = {
  deliveries: 'Delivery',
  // A condition of a composite is a condition.
  conditions: 'DiffPredicate',
  'clean{}': 'Treatment',
}

/** Returns the name of the object at a place: that of its key. `visual_config.regions[]` is a `Region`. */
function typeName(place: string): string | null {
  const key = place.slice(place.lastIndexOf('.') + 1)
  const one = key.endsWith('[]') ? (ITEM_NAMES[key.slice(0, -2)] ?? key.slice(0, -3)) : key
  return one === '' || one.includes('{') ? null : `${one[0]?.toUpperCase()}${camelCase(one).slice(1)}Args`
}

const isSecretPlace = (place: string) => (SECRET_PLACES as readonly string[]).includes(place)

const common = { nameOf: camelCase, inWords: inCamelCase, typeName }
const ofRecord: Style = { ...common, beside: () => [] }
const ofResource: Style = { ...common, beside: secretBeside }

/** Returns the key that names a Secret in place of a value. */
function secretBeside(place: string, node: SchemaNode): readonly string[] {
  if (!isSecretPlace(place)) return []
  const key = camelCase(place.slice(place.lastIndexOf('.') + 1))
  const isMap = withoutNull(node).type === 'object'
  const doc = isMap
    ? `Entries of ${key} whose values are read from Secrets of the namespace.`
    : `A Secret of the namespace that ${key} is read from, in place of ${key}.`
  const type = isMap ? 'pulumi.Input<HeaderFromArgs>[]' : 'SecretSourceArgs'
  return [`/** ${doc} */\n${secretKeyBeside(key)}?: pulumi.Input<${type} | undefined>`]
}

/** What a program fills in of a kind, as one object. */
function specNode({ spec, description }: Kind, without: readonly string[]): SchemaNode {
  const node = nodeOf(spec)
  const isKept = (key: string) => !without.includes(key)
  const suspend: SchemaNode = { type: 'boolean', description: SUSPEND }
  return {
    ...node,
    description,
    properties: {
      ...Object.fromEntries(Object.entries(node.properties ?? {}).filter(([key]) => isKept(key))),
      suspend,
    },
    required: node.required?.filter(isKept) ?? [],
  }
}
const SUSPEND = 'No checks while true. The runs are kept. Without it, pausing is left to people.'

/** A template only helps to fill in a form. */
const withoutTemplate = () => ['template_slug']

function kindsIn(style: Style, without: (kind: Kind) => readonly string[]): ArgsFile {
  const file = argsFile(style)
  for (const kind of KINDS) file.declare(`${kind.kind}SpecArgs`, specNode(kind, without(kind)), '')
  return file
}

/** The objects that are the same in both: what contains no secret place. */
const record = kindsIn(ofRecord, withoutTemplate)
const resource = kindsIn(ofResource, ({ withoutKeys }) => withoutKeys)
const differs = new Set([...KINDS.map(({ kind }) => `${kind}SpecArgs`), 'DeliveryArgs'])

const fromConfiguration = () => {
  const needed = new Set<string>()
  const text = record.text((name) => differs.has(name))
  for (const name of record.names) if (!differs.has(name) && text.includes(`<${name}`)) needed.add(name)
  return `import type {\n${[...needed]
    .sort()
    .map((name) => `  ${name},\n`)
    .join('')}} from './configuration'\n`
}

/** Returns the types of what a monitor consists of, whether it is a custom resource or a record. */
export const configurationArgs = (): string => `${HEAD}${PULUMI}\n${record.text((name) => !differs.has(name))}`

/** What stands beside the definitions in a custom resource. */
const BESIDE = [
  '/** The `apiVersion` of the custom resources. */',
  `export const RESOURCE_API = '${RESOURCE_API}'`,
  '',
  '/** Names a key of a Secret. */',
  'export interface SecretKeyRefArgs {',
  '  /** Name of the Secret. */',
  '  name: pulumi.Input<string>',
  '  /** Key within it. */',
  '  key: pulumi.Input<string>',
  '}',
  '',
  '/** A Secret that a value is read from. */',
  'export interface SecretSourceArgs {',
  '  /** The key of the Secret. */',
  '  secretKeyRef: pulumi.Input<SecretKeyRefArgs>',
  '}',
  '',
  '/** A header whose value is read from a Secret. */',
  'export interface HeaderFromArgs {',
  '  /** Name of the header. */',
  '  name: pulumi.Input<string>',
  '  /** The key of the Secret. */',
  '  secretKeyRef: pulumi.Input<SecretKeyRefArgs>',
  '}',
]

/** Returns the types of the specs of custom resources. */
export const resourceArgs = (): string => `${HEAD}${PULUMI}${fromConfiguration()}
${BESIDE.join('\n')}

${resource.text((name) => differs.has(name))}`

/** Returns the types of the bodies of the REST API, in the spelling of custom resources. */
export const recordArgs = (): string =>
  `${HEAD}${PULUMI}${fromConfiguration()}\n${record.text((name) => differs.has(name))}`

/** Returns the types of the values of the chart. */
export function chartArgs(): string {
  const file = argsFile({
    nameOf: (key) => key,
    inWords: (text) => text,
    typeName: (place) =>
      `${place
        .split('.')
        .map((key) => `${key[0]?.toUpperCase()}${key.slice(1)}`)
        .join('')
        .replaceAll('{}', '')}Values`,
    beside: () => [],
  })
  file.declare('ChartValues', { ...sectionOf(nodeOf(VALUES)), description: 'The values of the chart.' }, '')
  return `${HEAD}${PULUMI}\n${file.text()}`
}

/**
 * Returns a section of the values, of which no key is required: Helm merges values with the defaults. Shapes of
 * Kubernetes have types in other packages.
 */
function sectionOf(node: SchemaNode): SchemaNode {
  const { required: _, properties, ...rest } = node
  if (!properties) return rest.items ? { ...rest, items: withoutShape(rest.items) } : rest
  if (!isSection(node)) return withoutShape(node)
  return {
    ...rest,
    properties: Object.fromEntries(Object.entries(properties).map(([key, child]) => [key, sectionOf(child)])),
  }
}

const withoutShape = ({ properties: _, required: __, additionalProperties: ___, ...rest }: SchemaNode): SchemaNode =>
  rest

/** What a program without the definitions has to know of them to send a body and to compare it. */
const KEPT = [
  'type',
  'enum',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'default',
] as const

/** Returns the definitions of the bodies of the REST API as far as they can be judged without it. */
export function definitions(): string {
  const each = KINDS.map((kind) => [kind.kind, compact(specNode(kind, withoutTemplate()))])
  return `${JSON.stringify(Object.fromEntries(each), null, 2)}\n`
}

function compact(node: SchemaNode): object {
  const bare = withoutNull(node)
  const { required = [], properties, items, additionalProperties: others } = bare
  const table = bare[VARIANTS]
  return {
    ...Object.fromEntries(KEPT.filter((key) => bare[key] !== undefined).map((key) => [key, bare[key]])),
    ...(bare !== node && { default: null }),
    ...(bare[LOWER_CASE] && { lowerCase: true }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, child]) => [key, compact(child)])),
      required: required.filter((key) => properties[key] && !hasDefault(properties[key])),
    }),
    ...(table && { tag: table.tag, variants: keysOf(table) }),
    ...(items && { items: compact(items) }),
    ...(typeof others === 'object' && { values: compact(others) }),
  }
}

const keysOf = ({ variants }: VariantTable) =>
  Object.fromEntries(Object.entries(variants).map(([name, { required, allowed }]) => [name, { required, allowed }]))

const hasDefault = (node: SchemaNode) => node.default !== undefined || withoutNull(node) !== node
