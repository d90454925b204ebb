import { isDeepStrictEqual } from 'node:util'
import type { MonitorSpec } from '../schema/monitor/monitor.ts'

/** Keys whose change makes the next run a baseline, because earlier readings are not comparable. */
const MEANING = ['url', 'extract_config', 'request_config', 'request_headers', 'fetch_mode', 'visual_config'] as const

/** The differences between two configurations of a monitor. */
interface SpecChange {
  readonly changed: readonly (keyof MonitorSpec)[]
  /** The next run is a silent baseline. */
  readonly resetsBaseline: boolean
}

/** Compares two configurations. A different order of keys inside a value does not count as a difference. */
export function specChange(before: MonitorSpec, after: MonitorSpec): SpecChange {
  const keys = Object.keys(after) as (keyof MonitorSpec)[]
  const changed = keys.filter((key) => !isDeepStrictEqual(before[key], after[key]))
  return { changed, resetsBaseline: MEANING.some((key) => changed.includes(key)) }
}
