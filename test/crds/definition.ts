import { MonitorCreate } from '../../schema/monitor/monitor.ts'
import { SerpMonitorCreate } from '../../schema/serp/serp-monitor.ts'
import type { RuleName } from '../../schema/rules/rule-name.ts'
import type { VARIANTS, VariantTable, RULES } from '../../schema/shape/shape.ts'

/** A node of the definition as the cases are made from it. */
export interface Definition {
  readonly type?: string
  readonly default?: unknown
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Definition>>
  readonly additionalProperties?: Definition | boolean
  readonly items?: Definition
  readonly anyOf?: readonly Definition[]
  readonly [VARIANTS]?: VariantTable
  readonly [RULES]?: readonly RuleName[]
}

/** Keys that lead to a node: `[]` is an item of a list, `{}` a value of a map. */
export type Place = readonly string[]

const asDefinition = (schema: object) => schema as Definition

export const MONITOR = asDefinition(MonitorCreate)
export const SERP_MONITOR = asDefinition(SerpMonitorCreate)

/** The node without its null side. */
export const bare = (node: Definition): Definition => node.anyOf?.find((side) => side.type !== 'null') ?? node

export const isNullable = (node: Definition): boolean => node.anyOf?.some((side) => side.type === 'null') ?? false

export function child(node: Definition, key: string): Definition {
  const { items, properties, additionalProperties } = bare(node)
  const found = key === '[]' ? items : key === '{}' ? additionalProperties : properties?.[key]
  if (typeof found !== 'object') throw new Error(`there is no ${key}`)
  return found
}

/** A manifest does not have them in its spec. */
const WITHOUT: ReadonlySet<string> = new Set(['template_slug', 'external_key', 'labels'])

/**
 * Every node of a monitor that a custom resource has too, with its place. Destinations are the same in both kinds, so
 * those of a search have no nodes of their own.
 */
export function nodes(node: Definition, place: Place = []): [Place, Definition][] {
  const { items, properties = {}, additionalProperties: values } = bare(node)
  const below: [string, Definition][] = Object.entries(properties).filter(
    ([key]) => !WITHOUT.has(key) && !(node === SERP_MONITOR && key === 'deliveries'),
  )
  if (items) below.push(['[]', items])
  if (typeof values === 'object') below.push(['{}', values])
  return [[place, node], ...below.flatMap(([key, each]) => nodes(each, [...place, key]))]
}

/** `deliveries[].url` */
export const spelled = (place: Place): string =>
  place.reduce((text, key) => (key === '[]' || key === '{}' || text === '' ? text + key : `${text}.${key}`), '')
