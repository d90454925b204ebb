import type { TSchema } from 'typebox'
import { LEVEL, LEVEL_OF, VARIANTS, variantOf, type VariantTable } from './shape/shape.ts'
import { nodeOf, type SchemaNode, withoutNull } from './shape/walk-schema.ts'

/**
 * The level of work is the highest that any of its keys needs: a process takes work at its level and below, so that it
 * never misreads a key of a later version (docs/decisions/0038-work-has-a-level.md). A key that needs none, which a
 * version before may ignore, leaves work at level 1. A variant of a `Tagged` object has its level in the option
 * `levels`, and so has a key that only some variants had before.
 */

/** The level of this version. A release that has the first key of a level raises it. */
export const WORK_LEVEL = 2

/** Returns the definition of a key that processes below this level would misread. */
export const since = <T extends TSchema>(level: number, schema: T): T => ({ ...schema, [LEVEL]: level })

/** The same of texts that match a pattern, without regard to case. Processes below this level may read all others. */
export const sinceTextsOf = <T extends TSchema>(level: number, { source }: RegExp, schema: T): T => ({
  ...since(level, schema),
  [LEVEL_OF]: source,
})

/** Returns the level that a value needs by its definition. A key that is null or its default needs none. */
export function levelOf(definition: object, value: unknown): number {
  let levels = compiled.get(definition)
  if (levels === undefined) compiled.set(definition, (levels = compile(nodeOf(definition))))
  return levels === null ? 1 : highest(levels, value)
}

/** The part of a definition that has keys with a level. */
interface Levels {
  readonly level: number
  readonly byDefault: string | undefined
  /** Of the texts that need the level. Null: all values do. */
  readonly texts: RegExp | null
  readonly keys: ReadonlyMap<string, Levels>
  /** Of the values of a map. */
  readonly others: Levels | null
  /** Of the items of a list. */
  readonly items: Levels | null
  /** Of an object of which a variant has a level. */
  readonly table: VariantTable | null
}

/** Null: no key of the definition has a level. */
const compiled = new WeakMap<object, Levels | null>()

function compile(given: SchemaNode): Levels | null {
  const node = withoutNull(given)
  const { properties = {}, additionalProperties: others, items } = node
  const keys = new Map<string, Levels>()
  for (const [key, child] of Object.entries(properties)) {
    const below = compile(child)
    if (below) keys.set(key, below)
  }
  const levels = {
    level: given[LEVEL] ?? node[LEVEL] ?? 1,
    byDefault: JSON.stringify(given.default),
    texts: given[LEVEL_OF] === undefined ? null : new RegExp(given[LEVEL_OF], 'i'),
    keys,
    others: typeof others === 'object' ? compile(others) : null,
    items: items ? compile(items) : null,
    table: hasLevel(node[VARIANTS]) ? node[VARIANTS] : null,
  }
  return levels.level > 1 || keys.size > 0 || levels.others || levels.items || levels.table ? levels : null
}

const hasLevel = (table: VariantTable | undefined): table is VariantTable =>
  table !== undefined &&
  Object.values(table.variants).some((variant) => variant[LEVEL] !== undefined || variant.keyLevels !== undefined)

function levelOfVariant(table: VariantTable | null, value: object): number {
  const { [LEVEL]: level = 1, keyLevels = {} } = (table && variantOf(table, value)) ?? {}
  const has = (key: string) => ((value as Readonly<Record<string, unknown>>)[key] ?? null) !== null
  return Math.max(level, ...Object.entries(keyLevels).map(([key, ofKey]) => (has(key) ? ofKey : 1)))
}

function highest({ level, byDefault, texts, keys, others, items, table }: Levels, value: unknown): number {
  if (value === undefined || value === null || (level > 1 && JSON.stringify(value) === byDefault)) return 1
  if (texts && typeof value === 'string' && !texts.test(value)) return 1
  if (typeof value !== 'object') return level
  let most = Math.max(level, levelOfVariant(table, value))
  for (const [key, part] of Object.entries(value)) {
    const below = Array.isArray(value) ? items : (keys.get(key) ?? others)
    if (below) most = Math.max(most, highest(below, part))
  }
  return most
}
