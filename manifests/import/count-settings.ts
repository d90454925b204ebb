import { type ImportedMonitor, isObject, isSet } from './imported.ts'

/** What every monitor has, whether somebody set it or not. */
const OF_EACH: ReadonlySet<string> = new Set(['name', 'schedule_interval_seconds', 'extract_config.method'])

/**
 * Returns how many settings a monitor has that somebody set. A list counts as its items, a predicate as one, and what
 * every monitor has as none.
 */
export function takenOver({ body, isPaused }: ImportedMonitor): number {
  const { diff_predicate: predicate, fetch_mode: layer, ...rest } = body
  const hasPredicate = isObject(predicate) && predicate['type'] !== 'any_field_changes'
  return countOf(rest) + Number(hasPredicate) + Number(layer === 'browser') + Number(isPaused)
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

function countOf(value: unknown, path = ''): number {
  if (!isSet(value) || OF_EACH.has(path)) return 0
  if (Array.isArray(value)) return value.length
  if (!isObject(value)) return 1
  return Object.entries(value).reduce((sum, [key, one]) => sum + countOf(one, path === '' ? key : `${path}.${key}`), 0)
}
