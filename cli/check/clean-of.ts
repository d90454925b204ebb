import { TREATMENTS } from '../../schema/monitor/treatment.ts'
import { parseJsonText } from '../../schema/validation/parse-json-text.ts'
import { UsageError } from './usage-error.ts'

/**
 * Returns the treatments of fields, unchecked, of texts such as `jobs=drop_lines /sponsored/`: a field, what is done,
 * and its keys. Two keys have ` => ` between them. JSON stands for a treatment whose texts have that themselves.
 */
export function cleanOf(given: readonly string[]): Record<string, readonly unknown[]> {
  const treatments = new Map<string, readonly unknown[]>()
  for (const text of given) {
    const [, field = '', treatment = ''] = /^\s*([^=]*?)\s*=\s*(.*?)\s*$/s.exec(text) ?? []
    if (field === '' || treatment === '')
      throw new UsageError(`--clean takes a field and what is done to it, as in --clean 'jobs=drop_lines ^Ad'`)
    treatments.set(field, [...(treatments.get(field) ?? []), treatmentOf(treatment)])
  }
  return Object.fromEntries(treatments)
}

const KEYS: Readonly<Record<string, Readonly<Record<string, object>>>> = TREATMENTS

function treatmentOf(text: string): unknown {
  if (text.startsWith('{')) return ofJson(text)
  const [, name = '', rest = ''] = /^(\S*)\s*(.*)$/s.exec(text) ?? []
  // The schema refuses a name that it does not know, with those that there are.
  const keys = Object.hasOwn(KEYS, name) ? Object.entries(KEYS[name] ?? {}) : []
  if (Object.hasOwn(KEYS, name) && keys.length === 0 && rest !== '')
    throw new UsageError(`--clean: ${name} takes nothing behind it`)
  const parts = rest === '' ? [] : keys.length < 2 ? [rest] : partsOf(rest)
  return {
    do: name,
    ...Object.fromEntries(keys.slice(0, parts.length).map(([key, of], at) => [key, valueOf(of, parts[at])])),
  }
}

/** What takes the place of a match may be empty. */
function partsOf(rest: string): readonly string[] {
  const found = /^(.*?)\s+=>(?:\s+(.*))?$/s.exec(rest)
  return found ? [found[1] ?? '', found[2] ?? ''] : [rest]
}

const valueOf = (schema: object, text = ''): unknown =>
  'type' in schema && schema.type === 'integer' && /^\d+$/.test(text) ? Number(text) : text

function ofJson(text: string): unknown {
  const read = parseJsonText(text)
  if (read.ok) return read.value
  throw new UsageError(`--clean: ${text} is not JSON: ${read.fault}`)
}
