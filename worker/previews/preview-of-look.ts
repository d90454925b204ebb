import type { Got } from '../../runners/check/look-documents.ts'
import { fieldsToRender, findsMore } from '../../runners/check/missing-match.ts'
import { hintOf, readingOf, warningsOf } from '../../runners/check/reading-of.ts'
import type { Reading } from '../../runners/check/reading.ts'
import type { PageTask } from '../../runners/check/task.ts'
import { documentFormOf } from '../../runners/extract/documents/reads-document.ts'
import type { Extractor } from '../../runners/extract/pool/extractor.ts'
import type { DocumentName } from '../../schema/monitor/look.ts'
import type { Preview } from '../../schema/monitor/preview.ts'
import type { RunFault } from '../../schema/run/run-fault.ts'
import type { FetchReason } from '../../schema/run/run.ts'
import { type Previewed, previewOf, previewTask } from './preview.ts'

/** What a look kept of a page. */
export interface KeptPage {
  readonly documents: Readonly<Record<DocumentName, Got>>
  /** Why a check would use a browser; null: it would not. */
  readonly browser_reason: FetchReason | null
}

interface ReadingPorts {
  readonly extractor: Extractor
  readonly signal: AbortSignal
  readonly team?: string
}

/**
 * Reads the documents of a look with a configuration, as a run would that gets the same. Which of the two it reads is
 * decided as in a run. Fetches nothing. Null: the signal ended it.
 */
export async function previewOfLook(config: Previewed, page: KeptPage, ports: ReadingPorts): Promise<Preview | null> {
  const startedAt = performance.now()
  const task = previewTask(config, {})
  // A browser shows a viewer of a file, or nothing of it.
  const isFile = documentFormOf(task.extract) !== null
  const why = task.reason ?? (task.request === null && !isFile ? page.browser_reason : null)
  const read = (name: DocumentName, reason: FetchReason | null) => readDocument({ task, name, reason }, page, ports)
  const first = await (why === null ? read('fetched', null) : read('rendered', why))
  const hasMore = page.documents.rendered.document !== null && fieldsToRender(first, task).length > 0
  const more = hasMore ? await read('rendered', 'no_match') : first
  return previewOf(findsMore(more, first, task) ? more : first, config, { ...ports, startedAt })
}

interface Read {
  readonly task: PageTask
  readonly name: DocumentName
  /** Why it is the rendered one; null: it is not. */
  readonly reason: FetchReason | null
}

async function readDocument(
  { task, name, reason }: Read,
  { documents }: KeptPage,
  { extractor, signal, team }: ReadingPorts,
): Promise<Reading> {
  const { about, document } = documents[name]
  const method = name === 'fetched' ? 'static' : 'browser'
  const facts = { status: about.http_status, contentType: about.content_type, bytes: about.bytes }
  const from = {
    ...({ fetchMethod: method, fetchReason: reason } as const),
    fetched: { ...facts, durationMs: about.duration_ms ?? 0 },
  }
  const failed = (fault: RunFault): Reading => ({
    kind: 'failed',
    ...from,
    fault,
    retryAfterMs: 0,
    status: about.http_status,
  })
  if (document === null)
    return failed(about.error_code ? { code: about.error_code, message: about.error_message ?? '' } : NOT_ASKED)
  const extraction = await extractor.extract(document, task.extract, { signal, team })
  if (signal.aborted) return { kind: 'abandoned' }
  if (!extraction.ok) return failed(extraction.fault)
  const hint = hintOf(extraction, task, { method, contentType: document.contentType })
  const reading = readingOf(extraction, { ...from, mark: NO_MARK, ...hint }, warningsOf({}, task))
  return 'warnings' in reading ? { ...reading, fetched: from.fetched } : reading
}

const NO_MARK = { etag: null, lastModified: null, bodyHash: null }
const NOT_ASKED: RunFault = {
  code: 'not_available',
  message: 'The look has not this document: a page with request_config is only fetched.',
}
