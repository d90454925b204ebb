import type { RuleName } from '../../../schema/rules/rule-name.ts'
import type { ARMS, ArmTable, RULES } from '../../../schema/shape/shape.ts'

/** A node of a definition (schema/shape/shape.ts) as the generator reads it. */
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

/** A definition, which is a TypeBox value, as a node. */
export const definition = (schema: object): DefinitionNode => schema as DefinitionNode

/** The node without its null side, and whether it had one. Any other union cannot be told to an API server. */
export function withoutNull(node: DefinitionNode, place: string): { bare: DefinitionNode; nullable: boolean } {
  if (!node.anyOf) return { bare: node, nullable: false }
  const sides = node.anyOf.filter((side) => side.type !== 'null')
  const [bare] = sides
  if (!bare || sides.length !== 1 || node.anyOf.length !== 2)
    throw new Error(`${place}: a union is not lawful in a custom resource; use Tagged or Nullable`)
  return { bare, nullable: true }
}
