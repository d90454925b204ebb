import type { SchemaNode } from '../../../schema/shape/walk-schema.ts'

/** Returns the node without its null side, and whether it had one. Any other union cannot be told to an API server. */
export function definiteNode(node: SchemaNode, place: string): { bare: SchemaNode; nullable: boolean } {
  if (!node.anyOf) return { bare: node, nullable: false }
  const sides = node.anyOf.filter((side) => side.type !== 'null')
  const [bare] = sides
  if (!bare || sides.length !== 1 || node.anyOf.length !== 2)
    throw new Error(`${place}: a union is not allowed in a custom resource; use Tagged or Nullable`)
  return { bare, nullable: true }
}
