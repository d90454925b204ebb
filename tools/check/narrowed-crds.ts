import { parse } from 'yaml'
import type { Check } from './check.ts'

/** The custom resource definitions of the last release. Resources that they accept exist in clusters. */
const RELEASED = 'tools/check/released-crds/'

/** A node of a structural schema, as far as it can refuse values. */
interface Node {
  readonly type?: string
  readonly format?: string
  readonly nullable?: boolean
  readonly enum?: readonly unknown[]
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Node>>
  readonly additionalProperties?: Node
  readonly items?: Node
  readonly 'x-kubernetes-validations'?: readonly { readonly rule: string }[]
  readonly [bound: string]: unknown
}

const UPPER = ['maximum', 'maxLength', 'maxItems', 'maxProperties'] as const
const LOWER = ['minimum', 'minLength', 'minItems', 'minProperties'] as const

/** Compares each released definition with the generated one of the same name. */
export const narrowedCrds: Check = {
  name: 'crds',
  faults: ({ files }) =>
    files
      .filter(({ path }) => path.startsWith(RELEASED))
      .flatMap(({ path, text }) => {
        const now = path.replace(RELEASED, 'crds/')
        const found = files.find((file) => file.path === now)
        if (!found) return [`${now}: a released definition is gone`]
        return narrowings(specOf(text), specOf(found.text)).map((fault) => `${now}: ${fault}`)
      }),
}

/**
 * Returns the places where a schema no longer accepts what it accepted before: fields that are gone or newly required,
 * types and bounds that are tighter, values of an enum that are gone, new rules. An object in a cluster that breaks
 * the new schema could not be changed any more.
 */
export function narrowings(before: Node, now: Node, path = ''): string[] {
  const at = path === '' ? 'the resource' : path
  return [...kindFaults(before, now), ...boundFaults(before, now), ...ruleFaults(before, now)]
    .map((fault) => `${at}: ${fault}`)
    .concat(childrenOf(before, now, path))
}

function kindFaults(before: Node, now: Node): string[] {
  const faults: string[] = []
  if (before.type !== now.type || before.format !== now.format) faults.push('another type')
  if (before.nullable === true && now.nullable !== true) faults.push('null is refused')
  for (const name of now.required ?? []) if (!before.required?.includes(name)) faults.push(`${name} is required`)
  return faults
}

function boundFaults(before: Node, now: Node): string[] {
  const faults: string[] = []
  const choices = now.enum
  for (const value of choices ? (before.enum ?? ['any text']) : [])
    if (!choices?.includes(value)) faults.push(`${String(value)} is refused`)
  for (const name of UPPER) if (isTighter(now[name], before[name], 1)) faults.push(`${name} is smaller`)
  for (const name of LOWER) if (isTighter(now[name], before[name], -1)) faults.push(`${name} is larger`)
  if (now['pattern'] !== undefined && now['pattern'] !== before['pattern']) faults.push('another pattern')
  return faults
}

function ruleFaults(before: Node, now: Node): string[] {
  const rules = new Set(before['x-kubernetes-validations']?.map(({ rule }) => rule))
  const added = now['x-kubernetes-validations']?.filter(({ rule }) => !rules.has(rule) && !isOfNew(rule, before)) ?? []
  return added.map(({ rule }) => `a new rule, ${rule.slice(0, 60)}`)
}

/**
 * Returns whether a rule holds for each object without the fields that are new, whatever else it has. No object in a
 * cluster has them.
 */
function isOfNew(rule: string, { properties = {} }: Node): boolean {
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

function childrenOf(before: Node, now: Node, path: string): string[] {
  const faults: string[] = []
  for (const [name, child] of Object.entries(before.properties ?? {})) {
    const next = now.properties?.[name]
    faults.push(...(next ? narrowings(child, next, `${path}.${name}`) : [`${path}.${name}: is gone`]))
  }
  if (before.items) faults.push(...narrowings(before.items, now.items ?? {}, `${path}[]`))
  if (typeof before.additionalProperties === 'object')
    faults.push(...narrowings(before.additionalProperties, now.additionalProperties ?? {}, `${path}{}`))
  return faults
}

/** Returns whether a bound moved inward. `sign` is 1 for an upper bound and -1 for a lower one. */
function isTighter(now: unknown, before: unknown, sign: 1 | -1): boolean {
  if (typeof now !== 'number') return false
  return typeof before !== 'number' || (before - now) * sign > 0
}

function specOf(text: string): Node {
  const { spec } = parse(text) as { spec: { versions: { schema: { openAPIV3Schema: Node } }[] } }
  return spec.versions[0]?.schema.openAPIV3Schema ?? {}
}
