/** The types that JSON has, whole numbers apart as JSON Schema does. */
export const JSON_TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const
export type JsonType = (typeof JSON_TYPES)[number]
export type Scalar = string | number | boolean | null

/**
 * What a person's schema says of one value, as far as we check it: a small part of JSON Schema, bounded
 * (`SHAPE_LIMITS`), without references and without patterns, so that no schema can make checking an answer expensive.
 * All else in the schema is given to the model and not checked.
 */
export interface Shape {
  /** Null: any. */
  readonly types: readonly JsonType[] | null
  readonly values: readonly Scalar[] | null
  /** One of these at least. */
  readonly either: readonly Shape[] | null
  readonly fields: readonly ShapeField[] | null
  readonly items: Shape | null
  readonly range: Range | null
  readonly hint: string | null
}

export interface ShapeField {
  readonly name: string
  readonly shape: Shape
  /** Not required: may be absent, and null, which is what an absent field is. */
  readonly required: boolean
}

/** Inclusive bounds: of a number, of a text's length, of a list's. */
export interface Range {
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
}

export const ANY: Shape = {
  types: null,
  values: null,
  either: null,
  fields: null,
  items: null,
  range: null,
  hint: null,
}

export const SHAPE_LIMITS = {
  /** Fields of a run, as other methods have them. */
  fields: 50,
  nameLength: 100,
  /** The whole schema as JSON, since the model is given all of it. */
  characters: 10_000,
  depth: 8,
  nodes: 300,
  values: 100,
  hintLength: 200,
} as const
