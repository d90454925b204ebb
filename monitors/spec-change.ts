import { isDeepStrictEqual } from 'node:util'
import type { MonitorSpec } from '../schema/monitor/monitor.ts'

/** A change of one of these leaves the next run nothing to compare with. */
const MEANING = ['url', 'extract_config', 'request_config', 'request_headers', 'fetch_mode', 'visual_config'] as const

/** In what two configurations of a monitor differ. */
interface SpecChange {
  readonly changed: readonly (keyof MonitorSpec)[]
  /** The next run is a silent baseline. */
  readonly resetsBaseline: boolean
}

/** Compares two configurations. The order of keys inside is no difference. */
export function specChange(before: MonitorSpec, after: MonitorSpec): SpecChange {
  const keys = Object.keys(after) as (keyof MonitorSpec)[]
  const changed = keys.filter((key) => !isDeepStrictEqual(before[key], after[key]))
  return { changed, resetsBaseline: MEANING.some((key) => changed.includes(key)) }
}
