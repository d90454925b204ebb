import { fieldNames } from '../../schema/monitor/extract-config.ts'
import { type Issue, joinPath } from '../../schema/validation/issue.ts'
import {
  ANY,
  JSON_TYPES,
  type JsonType,
  type Range,
  type Scalar,
  type Shape,
  SHAPE_LIMITS,
  type ShapeField,
} from './prompt-shape.ts'

type Schema = Readonly<Record<string, unknown>>
type ShapeOf =
  | { readonly ok: true; readonly fields: readonly ShapeField[] }
  | { readonly ok: false; readonly issue: Issue }

/**
 * Reads a prompt's schema: `properties` as JSON Schema has it, or names with hints (`{"price": "number"}`), by the
 * same rule that gives the fields their names. Without fields, whatever the model answers becomes them. What is over a
 * limit is an issue; its path begins inside the schema.
 */
export function shapeOf(schema: Schema): ShapeOf {
  const size = JSON.stringify(schema).length
  if (size > SHAPE_LIMITS.characters)
    return tooMuch('', `has ${size} characters as JSON; at most ${SHAPE_LIMITS.characters} are allowed`)
  const { properties } = schema
  const hasProperties = properties !== null && typeof properties === 'object'
  const path = hasProperties ? 'properties' : ''
  const names = fieldNames({ method: 'prompt', prompt: '', schema })
  if (names.length > SHAPE_LIMITS.fields) return tooMuch(path, `must have at most ${SHAPE_LIMITS.fields} fields`)
  const odd = names.find((name) => name === '' || name === '__proto__' || name.length > SHAPE_LIMITS.nameLength)
  if (odd !== undefined)
    return tooMuch(path, `must name each field with 1 to ${SHAPE_LIMITS.nameLength} characters, and none __proto__`)
  const reader = new Reader()
  const holder = (hasProperties ? properties : schema) as Schema
  const required = hasProperties ? schema['required'] : undefined
  try {
    return { ok: true, fields: reader.fields(holder, required, { path, depth: 1 }) }
  } catch (error) {
    if (error instanceof Excess) return { ok: false, issue: error.issue }
    throw error
  }
}

const tooMuch = (path: string, message: string): ShapeOf => ({ ok: false, issue: { path, message } })

class Excess extends Error {
  readonly issue: Issue
  constructor(issue: Issue) {
    super(issue.message)
    this.issue = issue
  }
}

interface Place {
  readonly path: string
  readonly depth: number
}

const SCHEMA_WORDS = ['type', 'properties', 'enum', 'const', 'anyOf', 'oneOf', 'items', 'description', '$ref', 'allOf']
const RANGE_WORDS = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'] as const
/** What people write for a type where they write no JSON Schema. */
const WORDS: Readonly<Record<string, JsonType>> = {
  ...Object.fromEntries(JSON_TYPES.map((type) => [type, type])),
  text: 'string',
  float: 'number',
  decimal: 'number',
  int: 'integer',
  bool: 'boolean',
  list: 'array',
}

class Reader {
  #nodes = 0

  fields(holder: Schema, required: unknown, { path, depth }: Place): readonly ShapeField[] {
    const names: readonly unknown[] = Array.isArray(required) ? required : []
    return Object.entries(holder).map(([name, hint]) => ({
      name,
      shape: this.shape(hint, { path: joinPath(path, name), depth }),
      required: names.includes(name),
    }))
  }

  shape(hint: unknown, place: Place): Shape {
    this.#nodes += 1
    if (this.#nodes > SHAPE_LIMITS.nodes)
      throw new Excess({
        path: place.path,
        message: `is too large for a schema: at most ${SHAPE_LIMITS.nodes} parts`,
      })
    if (place.depth > SHAPE_LIMITS.depth)
      throw new Excess({ path: place.path, message: `is nested too deeply: at most ${SHAPE_LIMITS.depth} levels` })
    if (typeof hint === 'string') return ofWord(hint)
    if (Array.isArray(hint) && hint.length > 0 && hint.every(isScalar))
      return { ...ANY, values: this.#values(hint, place) }
    if (hint === null || typeof hint !== 'object' || Array.isArray(hint)) return ANY
    const schema = hint as Schema
    const inner = { path: place.path, depth: place.depth + 1 }
    if (SCHEMA_WORDS.some((word) => Object.hasOwn(schema, word))) return this.#schema(schema, inner)
    const fields = this.fields(schema, undefined, inner)
    return fields.length === 0 ? ANY : { ...ANY, types: ['object'], fields }
  }

  #schema(schema: Schema, place: Place): Shape {
    const { properties, items, required, description, enum: given, const: only } = schema
    const either = schema['anyOf'] ?? schema['oneOf']
    const at = (key: string): Place => ({ path: joinPath(place.path, key), depth: place.depth })
    const types = typesOf(schema['type'])
    const isObject = isSchema(properties)
    return {
      types: types ?? (isObject ? ['object'] : null),
      values:
        isScalar(only) && only !== undefined
          ? [only]
          : Array.isArray(given) && given.length > 0 && given.every(isScalar)
            ? this.#values(given, place)
            : null,
      either: Array.isArray(either) && either.length > 0 ? either.map((one) => this.shape(one, at('anyOf'))) : null,
      fields: isObject ? this.fields(properties, required, at('properties')) : null,
      items: isSchema(items) || typeof items === 'string' ? this.shape(items, at('items')) : null,
      range: rangeOf(schema),
      hint: typeof description === 'string' ? description.slice(0, SHAPE_LIMITS.hintLength).toWellFormed() : null,
    }
  }

  #values(values: readonly Scalar[], { path }: Place): readonly Scalar[] {
    if (values.length > SHAPE_LIMITS.values)
      throw new Excess({ path, message: `must list at most ${SHAPE_LIMITS.values} values` })
    return values
  }
}

function ofWord(word: string): Shape {
  const key = word.trim().toLowerCase()
  const type = Object.hasOwn(WORDS, key) ? WORDS[key] : undefined
  if (type !== undefined) return { ...ANY, types: [type] }
  return { ...ANY, hint: word.slice(0, SHAPE_LIMITS.hintLength).toWellFormed() }
}

function typesOf(given: unknown): readonly JsonType[] | null {
  const types = (Array.isArray(given) ? given : [given]).filter((type): type is JsonType =>
    (JSON_TYPES as readonly unknown[]).includes(type),
  )
  return types.length === 0 ? null : [...new Set(types)]
}

function rangeOf(schema: Schema): Range | null {
  const given = RANGE_WORDS.flatMap((word) => {
    const value = schema[word]
    return typeof value === 'number' ? [[word, value] as const] : []
  })
  return given.length === 0 ? null : Object.fromEntries(given)
}

const isScalar = (value: unknown): value is Scalar =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value)
const isSchema = (value: unknown): value is Schema =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
