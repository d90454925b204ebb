import { OPTION_LIMITS, SERVICE_NAMES, SERVICE_TABLE } from '../../../schema/monitor/delivery-services.ts'
import type { RuleName } from '../../../schema/rules/rule-name.ts'
import { RULES, VARIANTS } from '../../../schema/shape/shape.ts'
import { nodeOf, type SchemaNode } from '../../../schema/shape/walk-schema.ts'

/** How the bytes of a text are written, for the dearest character of ASCII and of all of Unicode. */
interface Writing {
  readonly ascii: number
  readonly any: number
}
/** Each character as `\u0041`, or two of them. */
export const ESCAPED: Writing = { ascii: 6, any: 12 }
/** As `JSON.stringify` writes it: `\"`, and `\u0001`. */
export const PLAIN: Writing = { ascii: 2, any: 6 }
/** Each byte of UTF-8 as `%F0`. */
export const FORM: Writing = { ascii: 3, any: 12 }

/** Bytes of the longest number as `JSON.stringify` writes it: `-1.2345678901234567e-308`. */
const NUMBER_BYTES = 24
/** The longest names that the rules of a map allow. */
const KEY_RULES: Partial<Record<RuleName, { readonly most: number; readonly isAscii: boolean }>> = {
  header_names: { most: 256, isAscii: true },
  field_names: { most: 100, isAscii: false },
  label_names: { most: 317, isAscii: true },
}
const ASCII_RULES: ReadonlySet<string> = new Set([
  'email_address',
  'country_code',
  'language_code',
] satisfies RuleName[])
/** Rules of a map whose values are ASCII. */
const ASCII_MAPS: ReadonlySet<string> = new Set(['header_values', 'label_values'] satisfies RuleName[])
/** Printable ASCII. */
const TOKEN = '^[!-~]+$'
/** The most characters of an option on one line, and of any other whose pattern has a bound: ten tags. */
const [LONGEST_LINE, LONGEST_NAMES] = [200, 512]
/** The bound of a value of any shape, in characters: `shapeOf` and the rule `scalar` have it. */
const OPEN_CHARACTERS = 10_000

/**
 * Returns the bytes of the largest body that a schema allows, with nothing between its parts. Infinity: a text, a list
 * or a map of it has no bound. `without` names keys that are left out.
 */
export function largestBody(schema: object, writing: Writing, without: readonly string[] = []): number {
  return bytesOf(nodeOf(schema))

  function bytesOf(
    node: SchemaNode & { readonly pattern?: string; readonly const?: unknown },
    isAscii = false,
  ): number {
    if (node.anyOf) return Math.max(...node.anyOf.map((side) => bytesOf(side)))
    const rules: readonly string[] = node[RULES] ?? []
    if (node.enum) return Math.max(...node.enum.map((value) => textBytes(String(value).length, true)))
    switch (node.type) {
      case 'string':
        return textBytes(
          node.maxLength ?? Infinity,
          isAscii || node.format !== undefined || node.pattern === TOKEN || rules.some((name) => ASCII_RULES.has(name)),
        )
      case 'boolean':
      case 'null':
        return 5
      case 'integer':
        return Math.max(
          ...[node.minimum, node.maximum].map((bound) => String(bound ?? -Number.MAX_SAFE_INTEGER).length),
        )
      case 'number':
        return NUMBER_BYTES
      case 'array':
        return 2 + (node.maxItems ?? Infinity) * (1 + bytesOf(node.items ?? {}))
      case 'object':
        return 2 + knownBytes(node) + mapBytes(node, rules)
      default:
        return textBytes(OPEN_CHARACTERS, false)
    }
  }

  function textBytes(characters: number, isAscii: boolean): number {
    return 2 + characters * (isAscii ? writing.ascii : writing.any)
  }

  /** Of an object with variants, the largest one. */
  function knownBytes({ properties = {}, [VARIANTS]: table }: SchemaNode): number {
    const bytes = (names: readonly string[]) =>
      names
        .filter((name) => !without.includes(name))
        .reduce((sum, name) => sum + textBytes(name.length, true) + 2 + bytesOf(properties[name] ?? {}), 0)
    if (!table) return bytes(Object.keys(properties))
    return Math.max(...Object.values(table.variants).map(({ allowed }) => bytes([table.tag, ...allowed])))
  }

  /** Of the service with the largest options. Other options than its own are refused, and so are other values. */
  function optionBytes(): number {
    const bytes = SERVICE_NAMES.map((name) =>
      Object.entries(SERVICE_TABLE[name].options).map(([option, { pattern }]) => {
        const isLine = pattern.startsWith('^[^')
        const value = pattern === TOKEN ? OPTION_LIMITS.value : isLine ? LONGEST_LINE : LONGEST_NAMES
        return textBytes(option.length, true) + 2 + textBytes(value, !isLine)
      }),
    )
    return Math.max(...bytes.map((of) => of.reduce((sum, one) => sum + one, 0)))
  }

  function mapBytes({ properties, additionalProperties: others, maxProperties }: SchemaNode, rules: readonly string[]) {
    if (others === false) return 0
    if (rules.includes('option_names')) return optionBytes()
    if (typeof others !== 'object') return properties ? Infinity : textBytes(OPEN_CHARACTERS, false)
    const key = rules.map((name) => KEY_RULES[name as RuleName]).find((known) => known !== undefined)
    const isAscii = rules.some((name) => ASCII_MAPS.has(name))
    const keyBytes = key ? textBytes(key.most, key.isAscii) : Infinity
    return (maxProperties ?? Infinity) * (keyBytes + 2 + bytesOf(others, isAscii))
  }
}
