import { VARIANTS, RULES } from '../../schema/shape/shape.ts'
import { bare, child, type Definition, MONITOR, type Place } from './definition.ts'

type Fields = Record<string, unknown>

/** The smallest value that a node takes. */
export function sample(node: Definition): unknown {
  const { type, enum: choices, minimum = 0, minItems = 0, minProperties = 0, items, additionalProperties } = bare(node)
  switch (type) {
    case 'string':
      return choices?.[0] ?? text(bare(node), bare(node).minLength ?? 0)
    case 'integer':
    case 'number':
      return Math.max(minimum, 1)
    case 'boolean':
      return false
    case 'array':
      return Array.from({ length: minItems }, () => sample(items!))
    case 'object':
      if (bare(node).properties) return object(bare(node))
      return minProperties > 0 && typeof additionalProperties === 'object'
        ? { price: sample(additionalProperties) }
        : {}
    default:
      return 'a'
  }
}

/** A text of so many characters that obeys the node's rules. */
export function text(node: Definition, length: number, letter = 'a'): string {
  const [rule] = node[RULES] ?? []
  if (rule === 'country_code' || rule === 'language_code') return 'de'.padEnd(length, letter)
  if (rule === 'web_address') return 'https://example.com/'.padEnd(length, 'a')
  if (rule !== 'email_address') return letter.repeat(length)
  const domain = `.${'b'.repeat(62)}`.repeat(4).slice(0, Math.max(length - 66, 0))
  return length < 66 ? 'name@example.com' : `${'a'.repeat(64)}@b${domain}c`.slice(0, length)
}

/** A body of the user's is sent by one service only. */
export const OF_BODY: Fields = { service: 'custom' }

const QUIET_HOURS: Fields = { from: '22:00', until: '07:00', time_zone: 'UTC' }
const DAILY: Fields = { daily_at: '08:00', time_zone: 'UTC' }

/**
 * An object with the keys that it needs: those of the variant that has `key` where it is a tagged one, and those that
 * its rules want beside `key`.
 */
function object(node: Definition, key?: string): Fields {
  const table = node[VARIANTS]
  if (!table) {
    const times = timesOf(node, key)
    if (times) return times
    const needed = Object.fromEntries((node.required ?? []).map((name) => [name, sample(child(node, name))]))
    if (key === 'body' && node[RULES]?.includes('no_body_with_get')) needed['method'] = 'POST'
    if (key !== 'rect' && node[RULES]?.includes('selector_or_rect')) needed['selector'] = '#a'
    return needed
  }
  const names = Object.keys(table.variants)
  // Of several variants the last: the first ones for thresholds have a rule about their sign.
  const name = key === undefined ? names[0] : names.findLast((each) => table.variants[each]!.allowed.includes(key))
  return { ...variant(node, name ?? names[0]!), ...((key === 'body' || key === 'method') && OF_BODY) }
}

/** Quiet hours, or a digest, which has a time of a day with its zone, or seconds. */
function timesOf({ [RULES]: rules = [] }: Definition, key: string | undefined): Fields | null {
  if (rules.includes('quiet_hours_differ')) return QUIET_HOURS
  if (!rules.includes('digest_time')) return null
  if (key === undefined) return { every_seconds: 3600 }
  return key === 'every_seconds' ? {} : DAILY
}

/** The smallest object of a variant. */
export function variant(node: Definition, name: string): Fields {
  const table = bare(node)[VARIANTS]!
  const keys = table.variants[name]!.required
  return { [table.tag]: name, ...Object.fromEntries(keys.map((key) => [key, sample(child(node, key))])) }
}

/**
 * The smallest monitor that has this value at this place, and in `extract_config` the fields that a predicate there
 * names.
 */
export function monitorWith(place: Place, value: unknown, root: Definition = MONITOR): Fields {
  const monitor = build(root, place, value) as Fields
  // Without a target nothing is tracked.
  if (place[0] === 'target_domain' && value === null) return { ...monitor, mode: 'full_analysis' }
  // What is waited for needs a page that is always rendered, and a file must not be.
  const config = monitor['extract_config']
  // Only what is extracted is treated, and only of whole pages lines are left out.
  const { clean, ignore } = (config ?? {}) as { clean?: object; ignore?: object }
  if (place.includes('patterns')) return { ...monitor, extract_config: { method: 'full_page', ignore } }
  if (place[1] === 'clean' && typeof clean === 'object') {
    const names = Object.keys(clean)
    const fields = Object.fromEntries((names.length > 0 ? names : ['price']).map((name) => [name, '.a']))
    return { ...monitor, extract_config: { method: 'css', fields, clean } }
  }
  const readsFile = JSON.stringify(config)?.includes('"read_as":"document"')
  if (place[0] === 'extract_config' && !readsFile) return { ...monitor, fetch_mode: 'browser' }
  if (place[0] !== 'diff_predicate') return monitor
  const fields = Object.fromEntries(['price', ...fieldsOf(monitor['diff_predicate'])].map((name) => [name, '.a[]']))
  return { ...monitor, extract_config: { method: 'css', fields } }
}

function build(node: Definition, place: Place, value: unknown): unknown {
  const [key, ...rest] = place
  if (key === undefined) return value
  const inner = build(child(node, key), rest, value)
  if (key === '[]') return [inner]
  if (key === '{}') return { price: inner }
  return { ...object(bare(node), key), [key]: inner }
}

function fieldsOf(predicate: unknown): string[] {
  if (predicate === null || typeof predicate !== 'object') return []
  const { field, conditions }: { field?: unknown; conditions?: unknown } = predicate
  const below = Array.isArray(conditions) ? conditions.flatMap(fieldsOf) : []
  return typeof field === 'string' ? [field, ...below] : below
}
