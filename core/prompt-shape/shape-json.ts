import type { Json } from '../../schema/shape/json.ts'
import type { JsonType, Shape, ShapeField } from './prompt-shape.ts'

/** A JSON Schema for an endpoint that holds the model to one. */
export interface JsonSchema {
  readonly schema: Readonly<Record<string, Json>>
  /** Every part is of the kind that endpoints can enforce word by word. */
  readonly strict: boolean
}

/**
 * Writes fields as JSON Schema, of our own words only: nothing of what a person wrote gets to the endpoint as schema
 * but names, types, listed values and hints. Every field is required there, for that is what enforcing endpoints want;
 * what may be absent may be null instead.
 */
export function jsonSchemaOf(fields: readonly ShapeField[]): JsonSchema {
  const writer = new Writer()
  const schema = fields.length === 0 ? writer.open() : writer.object(fields)
  return { schema, strict: writer.strict }
}

type Node = Readonly<Record<string, Json>>

class Writer {
  strict = true

  open(): Node {
    this.strict = false
    return { type: 'object' }
  }

  object(fields: readonly ShapeField[]): Node {
    const properties = fields.map(({ name, shape, required }) => [name, this.#node(shape, !required)] as const)
    return {
      type: 'object',
      properties: Object.fromEntries(properties),
      required: fields.map(({ name }) => name),
      additionalProperties: false,
    }
  }

  #node(shape: Shape, nullable: boolean): Node {
    const hint: Node = shape.hint === null ? {} : { description: shape.hint }
    if (shape.either)
      return { anyOf: [...shape.either.map((one) => this.#node(one, false)), ...(nullable ? [NULL] : [])], ...hint }
    if (shape.values) return { enum: [...new Set([...shape.values, ...(nullable ? [null] : [])])], ...hint }
    if (!shape.types) return { type: ['string', 'number', 'boolean', 'null'], ...hint }
    const types = nullable && !shape.types.includes('null') ? [...shape.types, 'null' as const] : shape.types
    if (types.length === 1) return { ...this.#typed(types[0] ?? 'null', shape), ...hint }
    if (!types.some((type) => type === 'object' || type === 'array')) return { type: types, ...hint }
    return { anyOf: types.map((type) => this.#typed(type, shape)), ...hint }
  }

  #typed(type: JsonType, { fields, items }: Shape): Node {
    if (type === 'object') return fields && fields.length > 0 ? this.object(fields) : this.open()
    if (type !== 'array') return { type }
    if (!items) this.strict = false
    return items ? { type, items: this.#node(items, false) } : { type }
  }
}

const NULL: Node = { type: 'null' }
