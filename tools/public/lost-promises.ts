import { isObject, type JsonObject } from './json.ts'
import { deeper, isNotPublic, type Walk } from './narrowings.ts'

/**
 * Returns what a reader of values of the first schema loses with the second: keys that are gone or may be absent, other
 * types, and null where there was none. New keys, new values of an enum and new kinds of an object are additions.
 */
export function lostPromises(before: JsonObject, now: JsonObject, path: string, walk: Walk): string[] {
  const next = deeper(walk)
  if (next === null || isNotPublic(before)) return []
  const [from, to] = [variantsOf(walk.before(before)), variantsOf(walk.now(now))]
  const [olds, news] = [from.map((one) => walk.before(one)), to.map((one) => walk.now(one))]
  const mayBeNew = !olds.some(mayBeNull) && news.some(mayBeNull) ? [`${path}: may be null`] : []
  const below = (a: JsonObject, b: JsonObject, at: string) => lostPromises(a, b, at, next)
  const lost = olds
    .filter((one) => one['type'] !== 'null')
    .flatMap((one) => {
      const attempts = news.map((other) => lostOf(one, other, path, below))
      if (attempts.some((faults) => faults.length === 0)) return []
      return attempts.toSorted((a, b) => a.length - b.length)[0] ?? []
    })
  return [...mayBeNew, ...lost]
}

function variantsOf(node: JsonObject): readonly JsonObject[] {
  const variants = node['anyOf'] ?? node['oneOf']
  return Array.isArray(variants) && variants.length > 0 ? variants.filter(isObject) : [node]
}

function mayBeNull({ type, ...node }: JsonObject): boolean {
  return type === 'null' || node['nullable'] === true || (Array.isArray(type) && type.includes('null'))
}

type Below = (before: JsonObject, now: JsonObject, path: string) => string[]

function lostOf(before: JsonObject, now: JsonObject, path: string, below: Below): string[] {
  const [type, other] = [typesOf(before), typesOf(now)]
  const isWider = type !== '' && other !== '' && type !== other && !(type === 'number' && other === 'integer')
  if (isWider || (type !== '' && other === '' && now['const'] === undefined && now['enum'] === undefined))
    return [`${path}: another type`]
  if ('const' in before && before['const'] !== now['const']) return [`${path}: ${String(before['const'])} is gone`]
  return keysOf(before, now, path, below)
}

function keysOf(before: JsonObject, now: JsonObject, path: string, below: Below): string[] {
  const faults: string[] = []
  const required = Array.isArray(now['required']) ? now['required'] : []
  const wasRequired = Array.isArray(before['required']) ? before['required'] : []
  const properties = isObject(now['properties']) ? now['properties'] : {}
  for (const [name, child] of Object.entries(isObject(before['properties']) ? before['properties'] : {})) {
    if (!isObject(child) || isNotPublic(child)) continue
    const found = properties[name]
    if (!isObject(found)) {
      faults.push(`${path}.${name}: is gone`)
      continue
    }
    if (wasRequired.includes(name) && !required.includes(name)) faults.push(`${path}.${name}: may be absent`)
    faults.push(...below(child, found, `${path}.${name}`))
  }
  for (const [key, sign] of [
    ['items', '[]'],
    ['additionalProperties', '{}'],
  ] as const) {
    const [child, found] = [before[key], now[key]]
    if (isObject(child)) faults.push(...below(child, isObject(found) ? found : {}, `${path}${sign}`))
  }
  return faults
}

const typesOf = ({ type }: JsonObject): string =>
  (Array.isArray(type) ? type : type === undefined ? [] : [type])
    .filter((one) => one !== 'null')
    .map(String)
    .toSorted()
    .join(', ')
