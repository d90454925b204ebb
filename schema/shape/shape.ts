import Type, { type Static, type TProperties, type TSchema } from 'typebox'
import type { RuleName } from '../rules/rule-name.ts'

/**
 * The builders of all resource schemas. They keep a shape valid in all its outputs: TypeBox validation, OpenAPI 3.1,
 * structural CRD schemas with CEL, Pulumi inputs. Therefore choices are `type` + `enum`, null is possible only through
 * `Nullable`, alternatives are one object with a tag and variants (`Tagged`), maps are `additionalProperties`, `$ref`
 * is not used, and every string, list and map is bounded.
 */

/** One of a fixed list of strings. */
export function Choice<const T extends readonly string[]>(
  values: T,
  options: { default?: T[number]; description?: string } = {},
) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options })
}

/** The value or null. A shape can allow null only through this builder. */
export function Nullable<T extends TSchema>(schema: T, options: { default?: null; description?: string } = {}) {
  return Type.Union([schema, Type.Null()], options)
}

/** A map whose keys the user chooses. */
export function Dictionary<V extends TSchema>(
  value: V,
  options: { minProperties?: number; maxProperties: number; description?: string; rules?: readonly RuleName[] },
) {
  const { rules, ...rest } = options
  return Type.Unsafe<Readonly<Record<string, Static<V>>>>({
    type: 'object',
    additionalProperties: value,
    ...rest,
    ...(rules && { [RULES]: rules }),
  })
}

/** A closed object: unknown keys are refused with their path. */
export function Closed<P extends TProperties>(
  properties: P,
  options: { description?: string; rules?: readonly RuleName[] } = {},
) {
  const { rules, ...rest } = options
  return Type.Object(properties, { additionalProperties: false, ...rest, ...(rules && { [RULES]: rules }) })
}

/** Keyword under which a schema node names the cross-field rules of `rule-table.ts` that its value must satisfy. */
export const RULES = 'x-tidemark-rules'
/** Keyword of a text whose case means nothing. It is kept in lower case (`withDefaults`). */
export const LOWER_CASE = 'x-tidemark-lower-case'
/** Keyword of a key, or of a variant of an object, that processes below a level would misread (level.ts). */
export const LEVEL = 'x-tidemark-level'
/** Of a text with a level: only texts that match this pattern need it. */
export const LEVEL_OF = 'x-tidemark-level-of'
/** Keyword under which a `Tagged` node keeps its tag and variants. */
export const VARIANTS = 'x-tidemark-variants'

/** The value under `VARIANTS`. */
export interface VariantTable {
  readonly tag: string
  readonly variants: Readonly<Record<string, Variant>>
}

/** What an object has with one value of its tag: the keys that it requires, and those that it allows. */
interface Variant {
  readonly required: readonly string[]
  readonly allowed: readonly string[]
  /** Processes below this level would misread an object of the variant. Absent: none would. */
  readonly [LEVEL]?: number
  /** The same of an object that has a key, by the key: in other variants the key may need no level. */
  readonly keyLevels?: Readonly<Record<string, number>>
}

/**
 * Returns the variant that an object's tag chooses; undefined when it chooses none. The tag may be any JSON, and may
 * have the name of a property of Object.prototype.
 */
export function variantOf({ tag, variants }: VariantTable, value: object): Variant | undefined {
  const chosen = (value as Readonly<Record<string, unknown>>)[tag]
  return typeof chosen === 'string' && Object.hasOwn(variants, chosen) ? variants[chosen] : undefined
}

type ArmProperties = Readonly<Record<string, TProperties>>
type Simplify<T> = { [K in keyof T]: T[K] } & {}
type ArmUnion<Tag extends string, A extends ArmProperties> = {
  [K in keyof A & string]: Simplify<{ readonly [T in Tag]: K } & Static<ReturnType<typeof Type.Object<A[K]>>>>
}[keyof A & string]

/**
 * A union of objects, distinguished by the tag and written as one flat object. The tag is required. Each variant lists
 * its own properties, and a property that the chosen variant does not list is refused. A name that two variants share
 * must have the same shape in both. The static type is the discriminated union. OpenAPI prints `oneOf`. The CRD gets
 * the flat object with one CEL rule for each variant.
 */
export function Tagged<const Tag extends string, const A extends ArmProperties>(
  tag: Tag,
  variants: A,
  options: {
    description?: string
    /** The description of the tag. */
    tagged?: string
    default?: keyof A & string
    rules?: readonly RuleName[]
    /** The level of each variant that processes below it would misread, or of its keys that they would. */
    levels?: Partial<Readonly<Record<keyof A & string, number | Readonly<Record<string, number>>>>>
  } = {},
) {
  const properties: Record<string, TSchema> = {}
  const table: Record<string, Variant> = {}
  const { rules, tagged, default: byDefault, levels = {}, ...rest } = options
  for (const [name, variant] of Object.entries(variants)) {
    const { required = [] } = Type.Object(variant) as { required?: string[] }
    const level = (levels as Readonly<Record<string, number | Readonly<Record<string, number>> | undefined>>)[name]
    table[name] = {
      required: [...required],
      allowed: Object.keys(variant),
      ...(typeof level === 'number' && { [LEVEL]: level }),
      ...(typeof level === 'object' && { keyLevels: level }),
    }
    for (const [key, schema] of Object.entries(variant)) properties[key] ??= Type.Optional(schema)
  }
  const tagChoice = Choice(Object.keys(variants), {
    ...(byDefault !== undefined && { default: byDefault }),
    ...(tagged !== undefined && { description: tagged }),
  })
  return Type.Unsafe<ArmUnion<Tag, A>>({
    ...Type.Object({ [tag]: tagChoice, ...properties }, { additionalProperties: false, ...rest }),
    [VARIANTS]: { tag, variants: table } satisfies VariantTable,
    ...(rules && { [RULES]: rules }),
  })
}

/** A string for people, bounded. Lengths are in code points, as JSON Schema and CEL count them. */
export const Text = (minLength: number, maxLength: number, description?: string) =>
  Type.String({ minLength, maxLength, ...(description && { description }) })

/** The text of a link or a session that the service has made: ASCII without white space. */
export const Token = (maxLength: number, description?: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[!-~]+$', ...(description && { description }) })

/** A bounded string with rules of `rule-table.ts`. */
export const RuledText = (maxLength: number, rules: readonly RuleName[], description?: string) =>
  Type.String({ minLength: 1, maxLength, [RULES]: rules, ...(description && { description }) })

/** A whole number within inclusive bounds. */
export const Whole = (minimum: number, maximum: number, options: { default?: number; description?: string } = {}) =>
  Type.Integer({ minimum, maximum, ...options })

/** An identifier of the service. */
export const Uuid = (description?: string) =>
  Type.String({ format: 'uuid', maxLength: 36, ...(description && { description }) })

/** An ISO 8601 instant in UTC with milliseconds, for example `2026-05-01T12:00:00.000Z`. */
export const Instant = (description?: string) =>
  Type.String({ format: 'date-time', maxLength: 40, ...(description && { description }) })

/** An object that JSON can represent, with any keys. */
export const JsonObject = (description?: string) =>
  Type.Unsafe<Readonly<Record<string, unknown>>>({
    type: 'object',
    additionalProperties: true,
    ...(description && { description }),
  })
