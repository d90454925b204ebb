import { MonitorSpec } from '../../schema/monitor/monitor.ts'
import { SerpMonitorSpec } from '../../schema/serp/serp-monitor.ts'
import { nodeOf, type SchemaNode } from '../../schema/shape/walk-schema.ts'
import { camelCase } from './camel-case.ts'

const names = new Set<string>()
for (const spec of [MonitorSpec, SerpMonitorSpec]) collect(nodeOf(spec))

function collect(node: SchemaNode): void {
  const { properties = {}, additionalProperties: values, items, anyOf = [] } = node
  for (const name of Object.keys(properties)) names.add(name)
  for (const child of [...Object.values(properties), ...anyOf, items, values])
    if (typeof child === 'object') collect(child)
}

/**
 * Returns text for people with the names of properties in the resource's spelling. Other words of this form
 * (`json_path`) are values and stay.
 */
export const inCamelCase = (text: string): string =>
  text.replaceAll(/\b[a-z]+(?:_[a-z]+)+\b/g, (word) => (names.has(word) ? camelCase(word) : word))
