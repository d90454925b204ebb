import { type ImportedMonitor, isObject, isSet } from './imported.ts'

/** Returns how many settings a monitor has. A list counts as its items, and what is so without a setting as none. */
export function takenOver({ body, isPaused }: ImportedMonitor): number {
  const { name: _, diff_predicate: predicate, fetch_mode: layer, ...rest } = body
  const hasPredicate = isObject(predicate) && predicate['type'] !== 'any_field_changes'
  return countOf(rest) + Number(hasPredicate) + Number(layer === 'browser') + Number(isPaused)
}

/** Returns how many lines of a report are about a setting of a monitor that is not left out as a whole. */
export const lostIn = (report: readonly string[]): number =>
  report.filter((line) => line.endsWith(': no equivalent') && !line.endsWith('so it is left out: no equivalent')).length

function countOf(value: unknown): number {
  if (!isSet(value)) return 0
  if (Array.isArray(value)) return value.length
  return isObject(value) ? Object.values(value).reduce<number>((sum, one) => sum + countOf(one), 0) : 1
}
