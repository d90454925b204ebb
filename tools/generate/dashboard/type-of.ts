/** The parts of a JSON schema that a type is made of. */
interface Node {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: readonly string[]
  readonly const?: string | number | boolean | null
  readonly anyOf?: readonly Node[]
  readonly oneOf?: readonly Node[]
  readonly items?: Node
  readonly properties?: Readonly<Record<string, Node>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Node | boolean
}

const PRIMITIVES: Readonly<Record<string, string>> = {
  string: 'string',
  boolean: 'boolean',
  integer: 'number',
  number: 'number',
  null: 'null',
}

/** What has a name already: schemas by theirs, and the types of choices by their values, joined by commas. */
interface Named {
  readonly schemas: Readonly<Record<string, object>>
  /** Schemas that have a type with their name, because they contain themselves. */
  readonly types: ReadonlySet<string>
  readonly choices: Readonly<Record<string, string>>
}

/** Returns the TypeScript type of values that a schema of the document allows; of an object, with these keys. */
export function typeOf(schema: object, named: Named, keys?: readonly string[]): string {
  const node = resolved(schema, named)
  if (!keys) return written(node, named, '')
  const properties = Object.fromEntries(keys.map((key) => [key, node.properties?.[key] ?? {}]))
  return written({ ...node, properties }, named, '')
}

const resolved = (node: Node, named: Named): Node =>
  node.$ref === undefined ? node : (named.schemas[nameOf(node.$ref)] ?? {})

const nameOf = (ref: string): string => ref.split('/').at(-1) ?? ''

/** Returns the name of a schema that has a type of that name; else its type. */
const referred = (ref: string, named: Named, indent: string): string =>
  named.types.has(nameOf(ref)) ? nameOf(ref) : written(resolved({ $ref: ref }, named), named, indent)

function written(node: Node, named: Named, indent: string): string {
  if (node.$ref !== undefined) return referred(node.$ref, named, indent)
  if (node.const !== undefined) return literalOf(node.const)
  if (node.enum) return named.choices[node.enum.join()] ?? choiceOf(node.enum, indent)
  const alternatives = node.anyOf ?? node.oneOf
  if (alternatives) return alternatives.map((one) => written(one, named, indent)).join(' | ')
  if (node.items) return `readonly ${inBrackets(written(node.items, named, indent))}[]`
  if (node.properties && Object.keys(node.properties).length > 0) return objectOf(node, named, indent)
  if (typeof node.additionalProperties === 'object')
    return `Readonly<Record<string, ${written(node.additionalProperties, named, indent)}>>`
  if (node.type === 'object')
    return `Readonly<Record<string, ${node.additionalProperties === false ? 'never' : 'unknown'}>>`
  return PRIMITIVES[node.type ?? ''] ?? 'unknown'
}

const literalOf = (value: NonNullable<Node['const']> | null): string =>
  typeof value === 'string' ? `'${value}'` : JSON.stringify(value)

/** Longer choices have a line for each value. */
const LONGEST = 80

function choiceOf(values: readonly string[], indent: string): string {
  const line = values.map((value) => `'${value}'`).join(' | ')
  if (line.length <= LONGEST) return line
  return values.map((value) => `\n${indent}  | '${value}'`).join('')
}

function objectOf({ properties = {}, required = [] }: Node, named: Named, indent: string) {
  const inner = `${indent}  `
  const lines = Object.entries(properties).map(([key, child]) =>
    `${inner}readonly ${key}${required.includes(key) ? '' : '?'}: ${written(child, named, inner)}\n`.replace(
      ': \n',
      ':\n',
    ),
  )
  return `{\n${lines.join('')}${indent}}`
}

const inBrackets = (type: string): string => (type.includes(' | ') && !type.startsWith('{') ? `(${type})` : type)
