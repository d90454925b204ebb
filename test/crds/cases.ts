import { RULE_TABLE } from '../../schema/rules/rule-table.ts'
import { VARIANTS, RULES } from '../../schema/shape/shape.ts'
import { LEFT_TO_OPERATOR } from '../../tools/generate/crd/named-rules.ts'
import { bare, type Definition, isNullable, nodes, type Place, spelled } from './definition.ts'
import { OF_BODY, variant, sample, text } from './sample.ts'

/** A value at a place of a monitor, and whether it is valid. */
export interface Case {
  readonly title: string
  readonly place: Place
  readonly value: unknown
  readonly valid: boolean
}

const caseOf = (valid: boolean, place: Place, value: unknown, what: string): Case => ({
  title: `${spelled(place) || 'the monitor'} ${what}`,
  place,
  value,
  valid,
})

/** Each example of each rule, at each place where the definition names the rule. */
export function ruleCases(root: Definition): Case[] {
  return nodes(root).flatMap(([place, node]) =>
    (bare(node)[RULES] ?? []).flatMap((name) => {
      const { accepts, rejects }: { accepts: readonly unknown[]; rejects: readonly unknown[] } = RULE_TABLE[name]
      const at = (valid: boolean) => (example: unknown, index: number) =>
        caseOf(valid, place, completed(node, example), `${name} ${valid ? 'accepts' : 'rejects'}[${index}]`)
      return [...accepts.map(at(true)), ...(LEFT_TO_OPERATOR.has(name) ? [] : rejects.map(at(false)))]
    }),
  )
}

type Fields = Record<string, unknown>

/** Examples show what their rule looks at; the rest of the object is needed too. */
function completed(node: Definition, example: unknown): unknown {
  if (example === null || typeof example !== 'object' || Array.isArray(example) || !bare(node).properties)
    return example
  const given: Fields = { ...example }
  for (const [key, child] of Object.entries(bare(node).properties ?? {})) {
    if (given[key] !== undefined && given[key] !== null) given[key] = completed(child, given[key])
    else if (bare(node).required?.includes(key)) given[key] = sample(child)
  }
  const table = bare(node)[VARIANTS]
  if (!table) return given
  const fits = (name: string) =>
    Object.keys(given).every((key) => key === table.tag || table.variants[name]!.allowed.includes(key))
  const asked = given[table.tag]
  const isGiven = typeof asked === 'string' && table.tag in (example as Fields)
  const tag = isGiven ? asked : Object.keys(table.variants).find(fits)
  return { ...variant(node, String(tag)), ...given, [table.tag]: tag }
}

/**
 * Each variant of each tagged object: as small and as full as it gets, without each key that it needs, with each that
 * it does not know.
 */
export function armCases(root: Definition): Case[] {
  return nodes(root).flatMap(([place, node]) => {
    const table = bare(node)[VARIANTS]
    if (!table) return []
    const { properties = {} } = bare(node)
    const wrong = Object.entries(table.variants).flatMap(([name, { required, allowed }]) => {
      const least = variant(node, name)
      // The service that takes a body takes no digest, and a file is not waited for.
      const apart: readonly (readonly string[])[] = [
        ['digest', 'body'],
        ['read_as', 'wait_for'],
      ]
      const isLeft = (key: string) => apart.some(([left, kept = '']) => key === left && allowed.includes(kept))
      const together = allowed.filter((key) => !isLeft(key))
      const full = {
        ...Object.fromEntries(together.map((key) => [key, sample(properties[key]!)])),
        ...(allowed.includes('body') && OF_BODY),
        ...least,
      }
      const foreign = Object.keys(properties).filter((key) => key !== table.tag && !allowed.includes(key))
      return [
        caseOf(true, place, least, `${name}, least`),
        caseOf(true, place, full, `${name}, full`),
        ...required.map((key) => caseOf(false, place, without(least, key), `${name} without ${key}`)),
        ...foreign.map((key) =>
          caseOf(false, place, { ...least, [key]: sample(properties[key]!) }, `${name} with ${key}`),
        ),
      ]
    })
    return [
      ...wrong,
      caseOf(false, place, without(variant(node, Object.keys(table.variants)[0]!), table.tag), 'without its tag'),
    ]
  })
}

const without = (value: Fields, key: string): Fields =>
  Object.fromEntries(Object.entries(value).filter(([name]) => name !== key))

/** Each bound just kept and just broken, and each kind of wrong value. */
export function boundCases(root: Definition): Case[] {
  return nodes(root).flatMap(([place, node]) => [...bounds(place, bare(node)), ...kinds(place, node)])
}

function bounds(place: Place, node: Definition): Case[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, minProperties, maxProperties } = node
  // A service takes its own options only, and each has its own pattern.
  if (place.includes('options')) return []
  // Times and zones have one length, or are known by their names.
  if (place.includes('quiet_hours')) return []
  // No day is listed twice.
  if (place.includes('digest') && !place.includes('every_seconds')) return []
  const step = node.type === 'integer' ? 1 : Math.max(1e-6, Math.abs(maximum ?? 0) * 1e-9)
  const letter = node[RULES] || place.some((key) => key.endsWith('headers')) ? 'a' : '\u{1F600}'
  const words = (length: number) => text(node, length, letter)
  const list = (length: number) => Array.from({ length }, () => sample(node.items!))
  const map = (length: number) =>
    Object.fromEntries(
      Array.from({ length }, (_, index) => [`k${index}`, sample(node.additionalProperties as Definition)]),
    )
  return [
    ...pair(place, 'at most', maximum, { make: identity, step }),
    ...pair(place, 'at least', minimum, { make: identity, step: -step }),
    ...pair(place, 'as long as', maxLength, { make: words, step: 1 }),
    ...pair(place, 'as short as', node[RULES] ? undefined : minLength, { make: words, step: -1 }),
    ...pair(place, 'as many as', maxItems, { make: list, step: 1 }),
    ...pair(place, 'as few as', minItems, { make: list, step: -1 }),
    ...pair(place, 'as many as', maxProperties, { make: map, step: 1 }),
    ...pair(place, 'as few as', minProperties, { make: map, step: -1 }),
  ]
}

/** A value at the bound, and one a step beyond. */
function pair(place: Place, what: string, bound: number | undefined, { make, step }: Making): Case[] {
  if (bound === undefined) return []
  const beyond = bound + step
  // No length is below nought.
  const reachable = make === identity || beyond >= 0
  return [
    caseOf(true, place, make(bound), `${what} ${bound}`),
    ...(reachable ? [caseOf(false, place, make(beyond), `${what} ${bound}: ${beyond}`)] : []),
  ]
}

interface Making {
  readonly make: (value: number) => unknown
  readonly step: number
}

const identity = (value: number) => value

const OTHER_TYPES: Readonly<Record<string, readonly unknown[]>> = {
  string: [1, true, [], {}],
  integer: ['1', 60.5, true],
  number: ['1', true],
  boolean: ['true', 1],
  array: [{}, 'a'],
  object: [[], 'a', 1],
}

function kinds(place: Place, node: Definition): Case[] {
  const { type, properties, required = [] } = bare(node)
  if (place.length === 0 || type === undefined) return []
  const cases = (OTHER_TYPES[type] ?? []).map((value) => caseOf(false, place, value, `as ${JSON.stringify(value)}`))
  if (isNullable(node)) cases.push(caseOf(true, place, null, 'as null'))
  if (bare(node).enum) cases.push(caseOf(false, place, 'something else', 'as something else'))
  if (!properties) return cases
  const least = sample(node) as Fields
  const tag = bare(node)[VARIANTS]?.tag
  return [
    ...cases,
    caseOf(false, place, { ...least, foreign: 1 }, 'with an unknown key'),
    ...required
      .filter((key) => key !== tag)
      .map((key) => caseOf(properties[key]!.default !== undefined, place, without(least, key), `without ${key}`)),
  ]
}
