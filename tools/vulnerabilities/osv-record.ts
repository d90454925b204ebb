/** A record of OSV, as far as it is read here: https://ossf.github.io/osv-schema/. */
export interface OsvRecord {
  readonly id: string
  readonly modified: string
  /** When the record turned out to be wrong. */
  readonly withdrawn?: string
  /** The same vulnerability in other databases. */
  readonly aliases?: readonly string[]
  /** The vulnerabilities of which the record tells for a distribution. */
  readonly upstream?: readonly string[]
  readonly summary?: string
  readonly details?: string
  readonly severity?: readonly { readonly type: string; readonly score: string }[]
  readonly affected?: readonly Affected[]
  readonly database_specific?: { readonly severity?: unknown }
}

/** A package that a record affects. */
export interface Affected {
  readonly package?: { readonly ecosystem: string; readonly name: string }
  readonly ranges?: readonly Range[]
  readonly versions?: readonly string[]
  readonly ecosystem_specific?: { readonly urgency?: unknown }
  readonly database_specific?: { readonly urgency?: unknown }
}

interface Range {
  readonly type: 'SEMVER' | 'ECOSYSTEM' | 'GIT'
  readonly events: readonly RangeEvent[]
}

/** It has one of these. */
interface RangeEvent {
  readonly introduced?: string
  readonly fixed?: string
  readonly last_affected?: string
  readonly limit?: string
}

/** Compares two versions. Not a number, where one of them is none. */
export type Compare = (one: string, other: string) => number

/** Returns a record of OSV. Null: the text is none. */
export function readRecord(text: string): OsvRecord | null {
  try {
    const record = JSON.parse(text) as Partial<OsvRecord> | null
    const isRecord = typeof record?.id === 'string' && typeof record.modified === 'string'
    return isRecord && Array.isArray(record.affected ?? []) ? (record as OsvRecord) : null
  } catch {
    return null
  }
}

/** Returns the version with the fix, null where there is none. Undefined: this version is not affected. */
export function fixOf({ ranges = [], versions = [] }: Affected, version: string, compare: Compare) {
  const comparable = ranges.filter(({ type }) => type !== 'GIT')
  const isAffected = versions.includes(version) || comparable.some(({ events }) => isWithin(events, version, compare))
  if (!isAffected) return undefined
  const fixes = comparable.flatMap(({ events }) => events.flatMap(({ fixed }) => fixed ?? []))
  return fixes.filter((fix) => compare(fix, version) > 0).toSorted(compare)[0] ?? null
}

/**
 * As the schema of OSV says: the events in the order of their versions turn it on and off. A bound that cannot
 * be compared turns nothing off, so that somebody looks.
 */
function isWithin(events: readonly RangeEvent[], version: string, compare: Compare): boolean {
  const limits = events.flatMap(({ limit }) => limit ?? [])
  const isBelow = (limit: string) => limit === '*' || !(compare(version, limit) >= 0)
  if (limits.length > 0 && !limits.some(isBelow)) return false
  let isOn = false
  for (const { introduced, fixed, last_affected: last } of events.toSorted(inOrder(compare))) {
    if (introduced !== undefined && (introduced === '0' || !(compare(version, introduced) < 0))) isOn = true
    if (fixed !== undefined && compare(version, fixed) >= 0) isOn = false
    if (last !== undefined && compare(version, last) > 0) isOn = false
  }
  return isOn
}

const inOrder = (compare: Compare) => (one: RangeEvent, other: RangeEvent) => {
  const [a, b] = [one, other].map(
    ({ introduced, fixed, last_affected: last, limit }) => introduced ?? fixed ?? last ?? limit,
  )
  if (a === undefined || b === undefined || a === b) return 0
  if (a === '0' || b === '0') return a === '0' ? -1 : 1
  return compare(a, b)
}
