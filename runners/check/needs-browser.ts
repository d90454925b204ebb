import { isSearchResultsUrl } from '../../core/check-queue.ts'
import type { FetchReason } from '../../schema/run/run.ts'
import { isShell } from '../extract/shell/is-shell.ts'
import { mediaType } from '../extract/text/page-kind.ts'
import type { Fetched, FetchedBody } from '../fetch/fetched.ts'
import { nextLayer } from './next-layer.ts'
import type { PageTask } from './task.ts'

/** Returns why the browser is the next layer after a static result; null: it is not. */
export function whyRendered(task: PageTask, fetched: Fetched): FetchReason | null {
  const reason = whyUnread(task, fetched)
  if (reason !== null || !mayBeShell(task, fetched)) return reason
  return isShell(fetched.body) ? 'needs_scripts' : null
}

/** Returns the same as far as it is known before the body is measured. */
export function whyUnread(task: PageTask, fetched: Fetched): FetchReason | null {
  if (isNeverRendered(task)) return null
  if (isSearchResultsUrl(task.url)) return 'search_results'
  if (fetched.ok) return null
  if (fetched.onlyBrowserReads) return 'encoding'
  const { fault, status, retryAfterMs } = fetched
  const failure = { layer: 'static', code: fault.code, status, retryAfterMs } as const
  const next = nextLayer(failure, { isDirect: false, hasBrowser: true, hasProxy: false })
  return next === 'browser' ? 'refused' : null
}

/** Returns whether the body of a static result has to be measured: whether it is a shell (extract/shell). */
export function mayBeShell(task: PageTask, fetched: Fetched): fetched is FetchedBody {
  if (isNeverRendered(task) || !fetched.ok || fetched.kind === 'not_modified') return false
  // The same page was found readable last time.
  const isSame = task.last?.bodyHash ? Buffer.compare(task.last.bodyHash, fetched.bodyHash) === 0 : false
  return !isSame && isHtml(fetched.contentType)
}

/** A browser gives no bytes of a file, and sends no request of another kind. */
const isNeverRendered = ({ request, extract }: PageTask): boolean => request !== null || extract.read_as === 'document'

export function isHtml(contentType: string | null): boolean {
  const type = mediaType(contentType)
  return type === '' || type === 'text/html' || type === 'application/xhtml+xml'
}
