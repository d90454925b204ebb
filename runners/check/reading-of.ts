import { unsentNames, unsentWarning } from '../../egress/unsent-headers.ts'
import type { FetchMethod } from '../../schema/run/run.ts'
import type { Extraction } from '../extract/page.ts'
import { isHtml } from './needs-browser.ts'
import type { Reading } from './reading.ts'
import type { PageTask } from './task.ts'

type Extracted = Extract<Extraction, { ok: true }>
type Read = Pick<
  Extract<Reading, { kind: 'values' }>,
  'fetchMethod' | 'fetchReason' | 'mark' | 'shots' | 'scripts' | 'isAsSent'
>

/** How a page was fetched. */
interface Source {
  readonly method: FetchMethod
  readonly contentType: string | null
}

/** Returns what the extraction of a page says beside values. A page that was rendered, or that never is, says nothing
 * about its scripts. */
export function hintOf({ scripts }: Extracted, { request }: PageTask, { method, contentType }: Source) {
  return {
    ...(scripts && method === 'static' && request === null && { scripts }),
    ...(!isHtml(contentType) && { isAsSent: true }),
  }
}

/** Returns the reading of a page that was extracted. */
export function readingOf(
  { text, values, emptied, pageText, warnings: found }: Extracted,
  read: Read,
  more: readonly string[],
): Reading {
  const common = { ...read, warnings: [...found, ...more] }
  if (text !== undefined) return { kind: 'text', text, ...common }
  return { kind: 'values', values, ...(emptied && { emptied }), ...(pageText !== undefined && { pageText }), ...common }
}

/** Returns the warnings of a fetch, and of the headers that were not sent. */
export function warningsOf(
  { warnings = [] }: { readonly warnings?: readonly string[] },
  { headers }: PageTask,
): readonly string[] {
  const unsent = unsentWarning(unsentNames(headers ?? {}), 'request_headers')
  return unsent ? [...warnings, unsent] : warnings
}
