import type { TSchema } from 'typebox'
import { ChartValues } from '../../../schema/chart/chart-values.ts'

/** A node of the chart's values. */
export interface ValueNode {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, ValueNode>>
  readonly additionalProperties?: boolean | ValueNode
  readonly default?: unknown
  readonly description?: string
  readonly enum?: readonly unknown[]
}

/** The root of the chart's values. */
export const VALUES = ChartValues as TSchema as ValueNode

/** Returns whether a node is a section: an object whose keys the chart knows, and that has no default as a whole. */
export const isSection = ({ properties, default: byDefault }: ValueNode): boolean =>
  properties !== undefined && byDefault === undefined

/** The settings, which have defaults of their own and stay out of `values.yaml`. */
export const isByName = (key: string): boolean => key === 'settings' || key === 'secretSettings'
