import { type ImportedMonitor, isObject, isSet } from './imported.ts'

/** What every monitor has, whether somebody set it or not. */
const OF_EACH = { name: undefined, schedule_interval_seconds: undefined } as const

/**
 * Returns how many settings a monitor has that somebody set. A list counts as its items, a predicate as one, and what
 * every monitor has as none.
 */
export function takenOver({ body, isPaused }: ImportedMonitor): number {
  const { diff_predicate: predicate, fetch_mode: layer, extract_config: extract, ...rest } = { ...body, ...OF_EACH }
  const hasPredicate = isObject(predicate) && predicate['type'] !== 'any_field_changes'
  const read = isObject(extract) ? { ...extract, method: undefined } : extract
  return countOf(rest) + countOf(read) + Number(hasPredicate) + Number(layer === 'browser') + Number(isPaused)
}

/**
 * Returns how many lines of a report are about a setting of a monitor that is not left out as a whole. `leftOut`: names
 * of those that would not be valid.
 */
export const lostIn = (report: readonly string[], leftOut: readonly string[]): number =>
  report.filter(
    (line) =>
      line.endsWith(': no equivalent') &&
      !line.endsWith('so it is left out: no equivalent') &&
      !leftOut.some((name) => line.startsWith(`${name}: `)),
  ).length

function countOf(value: unknown): number {
  if (!isSet(value)) return 0
  if (Array.isArray(value)) return value.length
  return isObject(value) ? Object.values(value).reduce<number>((sum, one) => sum + countOf(one), 0) : 1
}
