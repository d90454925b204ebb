import { isDeepStrictEqual } from 'node:util'
import type { MonitorSpec } from '../schema/monitor/monitor.ts'

/** Keys whose change makes the next run a baseline, because earlier readings are not comparable. */
const MEANING = ['url', 'extract_config', 'request_config', 'fetch_mode', 'visual_config'] as const

/** The differences between two configurations of a monitor. */
interface SpecChange {
  readonly changed: readonly (keyof MonitorSpec)[]
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
  const keys = Object.keys(after) as (keyof MonitorSpec)[]
  const changed = keys.filter((key) => !isDeepStrictEqual(before[key], after[key]))
  const hasOtherHeaders = !isDeepStrictEqual(headerNames(before), headerNames(after))
  const resetsBaseline = hasOtherHeaders || MEANING.some((key) => changed.includes(key))
  return { changed, resetsBaseline, startsOver: resetsBaseline || changed.includes('request_headers') }
}

/** Names of headers are the same in upper and lower case. */
const headerNames = ({ request_headers: headers }: MonitorSpec) =>
  Object.keys(headers ?? {})
    .map((name) => name.toLowerCase())
    .toSorted()
