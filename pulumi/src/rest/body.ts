import definitions from '../inputs/definitions.json'

/** The kinds of record. */
export type RecordKind = keyof typeof definitions

/** What is known of a value of the API without the API. */
export interface Definition {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly default?: unknown
  /** The API keeps the text in lower case. */
  readonly lowerCase?: boolean
  readonly properties?: Readonly<Record<string, Definition>>
  readonly required?: readonly string[]
  readonly tag?: string
  readonly variants?: Readonly<
    Record<string, { readonly required: readonly string[]; readonly allowed: readonly string[] }>
  >
  readonly items?: Definition
  readonly values?: Definition
}

type Fields = Readonly<Record<string, unknown>>

/** Returns the definition of a kind of record. */
export const definitionOf = (kind: RecordKind): Definition => definitions[kind] as Definition

/** Returns a name of the API as programs write it. */
export const inProgram = (name: string): string =>
  name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** Returns the body of the API that properties of a program stand for, with every default written out. */
export function toBody(kind: RecordKind, props: Fields): Record<string, unknown> {
  const { suspend: _, ...properties } = definitionOf(kind).properties ?? {}
  return toApi({ ...definitionOf(kind), properties }, props) as Record<string, unknown>
}

function toApi(node: Definition, value: unknown): unknown {
  if (value === null || value === undefined) return node.default
  if (node.items && Array.isArray(value)) return value.map((item) => toApi(node.items ?? {}, item))
  if (node.lowerCase && typeof value === 'string') return value.toLowerCase()
  if (typeof value !== 'object' || Array.isArray(value)) return value
  const fields = value as Fields
  if (node.values) return mapFields(fields, (item) => toApi(node.values ?? {}, item))
  if (!node.properties) return value
  return Object.fromEntries(
    Object.entries(allowedIn(node, fields)).flatMap(([name, child]) => {
      const given = toApi(child, fields[inProgram(name)])
      return given === undefined ? [] : [[name, given]]
    }),
  )
}

/** Returns the properties that an object may have: those of its variant. */
function allowedIn(
  { properties = {}, tag, variants }: Definition,
  fields: Fields,
): Readonly<Record<string, Definition>> {
  const variant = tag === undefined ? undefined : variants?.[String(fields[inProgram(tag)])]
  if (tag === undefined || !variant) return properties
  return Object.fromEntries(
    Object.entries(properties).filter(([name]) => name === tag || variant.allowed.includes(name)),
  )
}

/** Returns the properties of a program that a record stands for, without those that have their default. */
export function toProps(kind: RecordKind, record: Fields): Record<string, unknown> {
  const { suspend: _, ...properties } = definitionOf(kind).properties ?? {}
  return toProgram({ ...definitionOf(kind), properties }, record) as Record<string, unknown>
}

function toProgram(node: Definition, value: unknown): unknown {
  if (node.items && Array.isArray(value)) return value.map((item) => toProgram(node.items ?? {}, item))
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  const fields = value as Fields
  if (node.values) return mapFields(fields, (item) => toProgram(node.values ?? {}, item))
  const { properties } = node
  if (!properties) return value
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, child]) => {
      const given = fields[name]
      if (given === undefined || given === null || isSame(given, child.default)) return []
      return [[inProgram(name), toProgram(child, given)]]
    }),
  )
}

const mapFields = (fields: Fields, change: (value: unknown) => unknown) =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, change(value)]))

/** Returns whether two values of JSON are equal, in whatever order their keys are. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [left, right] = [Object.entries(a), b as Fields]
  return left.length === Object.keys(b).length && left.every(([key, value]) => key in b && isSame(value, right[key]))
}
