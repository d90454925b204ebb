import type { TSchema } from 'typebox'
import { ChartValues } from '../../../schema/chart/chart-values.ts'
import { ParentValues } from '../../../schema/chart/parent-values.ts'
import type { FAMILY, ValueFamilyName } from '../../../schema/chart/value-families.ts'

/** A node of the chart's values. */
export interface ValueNode {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, ValueNode>>
  readonly additionalProperties?: boolean | ValueNode
  readonly items?: ValueNode
  readonly required?: readonly string[]
  readonly pattern?: string
  readonly [FAMILY]?: ValueFamilyName | Readonly<Record<string, ValueFamilyName>>
  readonly default?: unknown
  readonly description?: string
  readonly enum?: readonly unknown[]
}

/** The root of the chart's values. */
export const VALUES = ChartValues as TSchema as ValueNode
/** The root of what Helm hands to the chart beside its values, where another chart depends on it. */
export const PARENT_VALUES = ParentValues as TSchema as ValueNode

/** Returns whether a node is a section: an object whose keys the chart knows, and that has no default as a whole. */
export const isSection = ({ properties, default: byDefault }: Pick<ValueNode, 'properties' | 'default'>): boolean =>
  properties !== undefined && byDefault === undefined

/** The settings, which have their own defaults and stay out of `values.yaml`. */
export const isByName = (key: string): boolean => key === 'settings' || key === 'secretSettings'

interface ValueLeaf {
  /** From the root: `*` stands for each item of a list and each value of a map, and `@` for each key of a map. */
  readonly path: readonly string[]
  readonly node: ValueNode
}

/** Returns each value that is not a section, with its path; items of lists too. */
export const valueLeaves = (node: ValueNode = VALUES, path: readonly string[] = []): readonly ValueLeaf[] => {
  const own = node.properties === undefined ? [{ path, node }] : []
  const children = Object.entries(node.properties ?? {}).flatMap(([key, child]) => valueLeaves(child, [...path, key]))
  return [...own, ...children, ...(node.items ? valueLeaves(node.items, [...path, '*']) : [])]
}
