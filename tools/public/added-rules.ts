import { isObject, type JsonObject } from './json.ts'

/** Returns the rules of Kubernetes that a schema has now and had not, but for those about fields that are new. */
export function addedRules(before: JsonObject, now: JsonObject): string[] {
  const rules = new Set(rulesOf(before))
  const properties = isObject(before['properties']) ? before['properties'] : {}
  return rulesOf(now).filter((rule) => !rules.has(rule) && !isOfNew(rule, properties))
}

function rulesOf(node: JsonObject): string[] {
  const rules = node['x-kubernetes-validations']
  return Array.isArray(rules) ? rules.filter(isObject).map(({ rule }) => String(rule)) : []
}

/**
 * Returns whether a rule holds for each object without the fields that are new, whatever else it has. No object in a
 * cluster has them.
 */
function isOfNew(rule: string, properties: JsonObject): boolean {
  const isNew = (name: string | undefined) => name !== undefined && !Object.hasOwn(properties, name)
  // Texts may hold any sign.
  return isCertain(rule.replaceAll(/r?'(?:\\.|[^'\\])*'/g, "''"), true, isNew)
}

/** Returns whether an expression certainly has this value where the new fields are absent. */
function isCertain(expression: string, value: boolean, isNew: (name: string | undefined) => boolean): boolean {
  const text = expression.trim()
  if (partsOf(text, '?').length > 1) return false
  const certain = (part: string) => isCertain(part, value, isNew)
  const either = partsOf(text, '||')
  if (either.length > 1) return value ? either.some(certain) : either.every(certain)
  const both = partsOf(text, '&&')
  if (both.length > 1) return value ? both.every(certain) : both.some(certain)
  if (text.startsWith('!')) return isCertain(text.slice(1), !value, isNew)
  if (text.startsWith('(') && text.endsWith(')')) return certain(text.slice(1, -1))
  return !value && isNew(/^has\(self\.(\w+)\)$/.exec(text)?.[1])
}

/** Returns the parts between the operators that stand in no brackets. */
function partsOf(text: string, operator: string): string[] {
  const parts = ['']
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    if (depth === 0 && text.startsWith(operator, at)) {
      parts.push('')
      at += operator.length - 1
      continue
    }
    const sign = text.charAt(at)
    if ('([{'.includes(sign)) depth++
    if (')]}'.includes(sign)) depth--
    parts.push((parts.pop() ?? '') + sign)
  }
  return parts
}
