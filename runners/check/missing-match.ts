import { unmatchedFields } from '../../core/empty-fields.ts'
import type { ExtractConfig } from '../../schema/monitor/extract-config.ts'
import type { Reading } from './reading.ts'
import type { PageTask } from './task.ts'

type ValuesReading = Extract<Reading, { kind: 'values' }>

/** Whether what is read is the rendered document, where the page as sent has no match. */
const isReadOnATree = (config: ExtractConfig): boolean =>
  config.method === 'css' ||
  config.method === 'xpath' ||
  (config.method === 'json_path' && config.read_as === 'structured_data')

/** Returns the fields without a match in a page that was read as sent, and whose scripts may write what they select. */
export function fieldsToRender(reading: Reading, { extract }: PageTask): readonly string[] {
  if (reading.kind !== 'values' || reading.scripts === undefined || !isReadOnATree(extract)) return []
  return unmatchedFields(reading, extract)
}

/** Returns the task that renders the page of another one because rules had no match in it. */
export const renderedForMissing = (task: PageTask): PageTask => ({ ...task, queue: 'browser', reason: 'no_match' })

/** Returns whether a reading has a field that the direct one has no match for. */
export function findsMore(rendered: Reading, direct: Reading, { extract }: PageTask): rendered is ValuesReading {
  if (rendered.kind !== 'values' || direct.kind !== 'values') return false
  const missing = unmatchedFields(rendered, extract)
  return unmatchedFields(direct, extract).some((name) => !missing.includes(name))
}
