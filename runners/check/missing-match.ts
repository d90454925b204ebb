import { unmatchedFields } from '../../core/empty-fields.ts'
import type { ExtractConfig } from '../../schema/monitor/extract-config.ts'
import type { Values } from '../../schema/shape/json.ts'
import type { Reading } from './reading.ts'
import type { PageTask } from './task.ts'

/** What these methods read is the rendered document, where the page as sent has no match. */
const READ_ON_A_TREE: ReadonlySet<ExtractConfig['method']> = new Set(['css', 'xpath'])

/** Returns the fields without a match in a page that was read as sent, and whose scripts may write what they select. */
export function fieldsToRender(reading: Reading, { extract }: PageTask): readonly string[] {
  if (reading.kind !== 'values' || reading.scripts === undefined || !READ_ON_A_TREE.has(extract.method)) return []
  return unmatchedFields(reading.values, extract)
}

/** Returns the task that renders the page of another one because rules had no match in it. */
export const rendersMissing = (task: PageTask): PageTask => ({
  ...task,
  queue: 'browser',
  reason: 'no_match',
  triesStatic: true,
  rendersMissing: true,
})

/** Returns whether a reading has a field that the other one has no match for. */
export function hasMore(values: Values, other: Values, extract: ExtractConfig): boolean {
  const missing = unmatchedFields(values, extract)
  return unmatchedFields(other, extract).some((name) => !missing.includes(name))
}
