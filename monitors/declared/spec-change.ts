import { isDeepStrictEqual } from 'node:util'
import { unseenFields } from '../../core/predicate/unseen-items.ts'
import type { MonitorSpec } from '../../schema/monitor/monitor.ts'
import type { SerpMonitorSpec } from '../../schema/serp/serp-monitor.ts'

/** Keys whose change makes the next run a baseline, because earlier readings are not comparable. */
const MEANING = ['url', 'extract_config', 'request_config', 'fetch_mode', 'visual_config'] as const

/** Likewise of a search. Another number of pages is none of them: alerts compare what both checks cover. */
const MEANING_OF_SEARCH = [
  'keyword',
  'engine',
  'location_code',
  'language_code',
  'device',
  'mode',
  'target_domain',
] as const

/** The differences between two configurations of a monitor. */
export interface SpecChange {
  /** The keys that differ. */
  readonly changed: readonly string[]
  /** The next run is a silent baseline. */
  readonly resetsBaseline: boolean
  /** A check under way starts over, so that none ends with what was sent before. */
  readonly startsOver: boolean
}

/**
 * Compares two configurations. A different order of keys inside a value does not count as a difference. Request headers
 * reset the baseline only with other names: a new value is often only a new token, and a change of the page at the same
 * time must not be lost.
 */
export function specChange(before: MonitorSpec, after: MonitorSpec): SpecChange {
  const changed = changedKeys(before, after)
  const hasOtherHeaders = !isDeepStrictEqual(headerNames(before), headerNames(after))
  const resetsBaseline = hasOtherHeaders || MEANING.some((key) => changed.includes(key))
  return {
    changed,
    resetsBaseline,
    startsOver: resetsBaseline || changed.includes('request_headers') || forgetsSeen(before, changed),
  }
}

/** A check under way would keep what its fields have shown under the predicate before. */
const forgetsSeen = ({ diff_predicate: predicate }: MonitorSpec, changed: readonly string[]): boolean =>
  changed.includes('diff_predicate') && unseenFields(predicate).size > 0

/** Compares two configurations of a search. */
export function serpSpecChange(before: SerpMonitorSpec, after: SerpMonitorSpec): SpecChange {
  const changed = changedKeys(before, after)
  const resetsBaseline = MEANING_OF_SEARCH.some((key) => changed.includes(key))
  return { changed, resetsBaseline, startsOver: resetsBaseline }
}

const changedKeys = <Spec extends object>(before: Spec, after: Spec): readonly string[] =>
  (Object.keys(after) as (keyof Spec & string)[]).filter((key) => !isDeepStrictEqual(before[key], after[key]))

/** Names of headers are the same in upper and lower case. */
const headerNames = ({ request_headers: headers }: MonitorSpec) =>
  Object.keys(headers ?? {})
    .map((name) => name.toLowerCase())
    .toSorted()
