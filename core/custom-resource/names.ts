import { nodeOf, type SchemaNode, withoutNull } from '../../schema/shape/walk-schema.ts'
import { didYouMean, type Issue, joinPath } from '../../schema/validation/issue.ts'
import { LABEL_PREFIX } from './annotations.ts'
import { camelCase } from './camel-case.ts'

/**
 * Converts the API's spelling to the custom resource's. Keys that a person chose (`fields`, `headers`) and keys without
 * a definition stay as they are.
 */
export function toResourceNames(definition: object, value: unknown): unknown {
  return renamed(nodeOf(definition), value, camelCase)
}

/**
 * Converts the custom resource's spelling to the API's. The definition decides which name is meant: `webhookUrl` has
 * this spelling in the API too. An unknown key stays as it is, so that the validation refuses it.
 */
export function toApiNames(definition: object, value: unknown): unknown {
  return renamed(nodeOf(definition), value, null)
}

function renamed(node: SchemaNode, value: unknown, toResource: ((name: string) => string) | null): unknown {
  if (value === null || typeof value !== 'object') return value
  const { properties, additionalProperties: others, items } = withoutNull(node)
  if (Array.isArray(value)) return items ? value.map((item) => renamed(items, item, toResource)) : value
  if (!properties) {
    const each = typeof others === 'object' ? others : null
    return each ? mapEntries(value, (key, item) => [key, renamed(each, item, toResource)]) : value
  }
  const apiName = apiNames(properties, toResource !== null)
  return mapEntries(value, (key, item) => {
    const name = apiName.get(key)
    const child = name === undefined ? undefined : properties[name]
    if (name === undefined || !child) return [key, item]
    return [toResource ? toResource(name) : name, renamed(child, item, toResource)]
  })
}

/**
 * Returns an issue for each key of a resource that has the API's spelling, where that differs. No cluster knows such a
 * key.
 */
export const inApiSpelling = (definition: object, value: unknown): readonly Issue[] =>
  misspelled(nodeOf(definition), value, '')

function misspelled(node: SchemaNode, value: unknown, path: string): readonly Issue[] {
  if (value === null || typeof value !== 'object') return []
  const { properties, additionalProperties: others, items } = withoutNull(node)
  if (Array.isArray(value))
    return items ? value.flatMap((item, index) => misspelled(items, item, joinPath(path, index))) : []
  const apiName = properties && apiNames(properties, false)
  return Object.entries(value).flatMap(([key, item]) => {
    const at = joinPath(path, key)
    if (!apiName) return typeof others === 'object' ? misspelled(others, item, at) : []
    const isOther = !apiName.has(key) && Object.hasOwn(properties, key)
    const child = properties[apiName.get(key) ?? key]
    const own = isOther ? [{ path: at, message: `is not a known key${didYouMean(camelCase(key))}` }] : []
    return [...own, ...(child && (isOther || apiName.has(key)) ? misspelled(child, item, at) : [])]
  })
}

/** The names of each definition's properties, which are the same for every value. */
const known = { toResource: new WeakMap<object, NamesOf>(), toApi: new WeakMap<object, NamesOf>() }
type NamesOf = ReadonlyMap<string, string>

/** Returns the names of properties in the API's spelling by those in the spelling that a value has. */
function apiNames(properties: object, isToResource: boolean): NamesOf {
  const names = isToResource ? known.toResource : known.toApi
  const found = names.get(properties)
  if (found) return found
  const made = new Map(Object.keys(properties).map((name) => [isToResource ? name : camelCase(name), name]))
  names.set(properties, made)
  return made
}

const mapEntries = (value: object, change: (key: string, item: unknown) => [string, unknown]) =>
  Object.fromEntries(Object.entries(value).map(([key, item]) => change(key, item)))

/** Names below these were chosen by a person. */
const CHOSEN = /^(.*?\b(?:fields|clean|headers|options|request_headers)\b)(.*)$/s
const LABEL = /^labels(?:\.|\["|$)(.*?)(?:"\])?$/s

/** Returns where a resource has what the API calls so: `extract_config.fields` is `spec.extractConfig.fields`. */
export function toResourcePath(path: string): string {
  const [, label] = LABEL.exec(path) ?? []
  if (label !== undefined) return `metadata.labels${label === '' ? '' : `["${LABEL_PREFIX}${label}"]`}`
  const [, ours = path, theirs = ''] = CHOSEN.exec(path) ?? []
  return `spec.${camelCase(ours)}${theirs}`
}
