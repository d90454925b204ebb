import type { RuleName } from '../rules/rule-name.ts'
import type { VARIANTS, VariantTable, RULES } from './shape.ts'

/** A node of a definition as JSON Schema, as the builders of shape.ts write it. */
export interface SchemaNode {
  readonly type?: string
  readonly description?: string
  readonly format?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly additionalProperties?: SchemaNode | boolean
  readonly items?: SchemaNode
  readonly anyOf?: readonly SchemaNode[]
  readonly [VARIANTS]?: VariantTable
  readonly [RULES]?: readonly RuleName[]
}

/** Returns a definition, which is a TypeBox value, as a node. */
export const nodeOf = (schema: object): SchemaNode => schema as SchemaNode

/** Returns the variant of a nullable that is not null; any other node unchanged. */
export const withoutNull = (node: SchemaNode): SchemaNode => node.anyOf?.find(({ type }) => type !== 'null') ?? node
