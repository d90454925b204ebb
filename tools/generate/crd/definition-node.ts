import type { RuleName } from '../../../schema/rules/rule-name.ts'
import type { ARMS, ArmTable, RULES } from '../../../schema/shape/shape.ts'

/** A node of a definition (schema/shape/shape.ts) with the properties that the generator reads. */
export interface DefinitionNode {
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
  readonly properties?: Readonly<Record<string, DefinitionNode>>
  readonly additionalProperties?: DefinitionNode | boolean
  readonly items?: DefinitionNode
  readonly anyOf?: readonly DefinitionNode[]
  readonly [ARMS]?: ArmTable
  readonly [RULES]?: readonly RuleName[]
}

/** Returns a definition, which is a TypeBox value, as a node. */
export const definition = (schema: object): DefinitionNode => schema as DefinitionNode

/**
 * Returns the node without its null side, and whether it had one. Throws for any other union, which an API server does
 * not accept.
 */
export function withoutNull(node: DefinitionNode, place: string): { bare: DefinitionNode; nullable: boolean } {
  if (!node.anyOf) return { bare: node, nullable: false }
  const sides = node.anyOf.filter((side) => side.type !== 'null')
  const [bare] = sides
  if (!bare || sides.length !== 1 || node.anyOf.length !== 2)
    throw new Error(`${place}: a union is not valid in a custom resource; use Tagged or Nullable`)
  return { bare, nullable: true }
}
