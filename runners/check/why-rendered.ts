import { isSearchResultsUrl } from '../../core/search-results-url.ts'
import { MEASURED_CHARS, measurePage } from '../browser/page/page-features.ts'
import { needsBrowser } from '../browser/needs-browser.ts'
import { mediaType } from '../extract/text/page-kind.ts'
import type { Fetched } from '../fetch/fetched.ts'
import { nextLayer } from './next-layer.ts'
import type { PageTask } from './task.ts'

/** Returns why the browser is the next layer after a static result, as text for a user; null: it is not. */
export function whyRendered(task: PageTask, fetched: Fetched): string | null {
  if (task.request !== null) return null
  if (isSearchResultsUrl(task.url)) return 'the address is a page of search results'
  if (!fetched.ok) {
    const { fault, status, retryAfterMs } = fetched
    const failure = { layer: 'static', code: fault.code, status, retryAfterMs } as const
    const next = nextLayer(failure, { isDirect: false, hasBrowser: true, hasProxy: false })
    return next === 'browser' ? 'the site refused the direct request' : null
  }
  if (fetched.kind === 'not_modified' || !isHtml(fetched.contentType)) return null
  // The same page was found readable last time.
  if (task.last?.bodyHash && Buffer.compare(task.last.bodyHash, fetched.bodyHash) === 0) return null
  const { buffer, byteOffset, length } = fetched.body
  const text = Buffer.from(buffer, byteOffset, Math.min(length, MEASURED_CHARS)).toString('latin1')
  return needsBrowser(measurePage(text))
}

function isHtml(contentType: string | null): boolean {
  const type = mediaType(contentType)
  return type === '' || type === 'text/html' || type === 'application/xhtml+xml'
}
