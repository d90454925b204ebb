import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'
import { InputError } from './component.ts'
import type { Finding } from './find-vulnerabilities.ts'

/** A vulnerability that does not count for a while. */
interface Ignored {
  /** The id of a record, or an alias of it. */
  readonly id: string
  readonly reason: string
  /** The last day, as in 2026-12-31. */
  readonly until: string
}

const KEYS = ['id', 'reason', 'until']
const EXAMPLE = '- { id: GHSA-0000-0000-0000, reason: the function is not called, until: 2026-12-31 }'

/** Returns what a file says not to count. Throws an InputError. */
export async function readIgnored(file: string): Promise<readonly Ignored[]> {
  const text = await readFile(file, 'utf8').catch(() => null)
  if (text === null) throw new InputError(`${file} cannot be read.`)
  let list: unknown
  try {
    list = parse(text) as unknown
  } catch {
    throw new InputError(`${file} is no YAML.`)
  }
  if (!Array.isArray(list)) throw new InputError(`${file} is no list. Write a line for each: ${EXAMPLE}`)
  return list.map((entry: unknown, at) => {
    if (isIgnored(entry)) return entry
    throw new InputError(`${file}: entry ${at + 1} needs id, reason and until, and nothing else: ${EXAMPLE}`)
  })
}

function isIgnored(entry: unknown): entry is Ignored {
  if (typeof entry !== 'object' || entry === null) return false
  const values = entry as Readonly<Record<string, unknown>>
  const { until } = values
  return (
    Object.keys(values).toSorted().join() === KEYS.join() &&
    KEYS.every((key) => typeof values[key] === 'string' && values[key].trim() !== '') &&
    typeof until === 'string' &&
    /^\d{4}-\d{2}-\d{2}$/.test(until) &&
    !Number.isNaN(Date.parse(until))
  )
}

/**
 * Returns the findings that count on a day, and a line for each entry that has expired or that matches nothing.
 *
 * @param today as in 2026-12-31
 */
export function withoutIgnored(findings: readonly Finding[], ignored: readonly Ignored[], today: string) {
  const matches = ({ id }: Ignored, finding: Finding) => finding.id === id || finding.aliases.includes(id)
  const valid = ignored.filter(({ until }) => until >= today)
  const notes = ignored.flatMap((entry) => {
    const { id, reason, until } = entry
    if (!valid.includes(entry)) return [`${id} counts again: it was ignored until ${until} (${reason}).`]
    return findings.some((finding) => matches(entry, finding)) ? [] : [`${id} is ignored, and nothing has it.`]
  })
  return { counted: findings.filter((finding) => !valid.some((entry) => matches(entry, finding))), notes }
}
