import { isSearchResultsUrl } from '../../core/check-queue.ts'
import type { FetchReason } from '../../schema/run/run.ts'
import { MEASURED_CHARS, measurePage, ENOUGH_TEXT, type PageFeatures } from '../browser/page/page-features.ts'
import { mediaType } from '../extract/text/page-kind.ts'
import type { Fetched } from '../fetch/fetched.ts'
import { nextLayer } from './next-layer.ts'
import type { PageTask } from './task.ts'

/** Returns why the browser is the next layer after a static result; null: it is not. */
export function whyRendered(task: PageTask, fetched: Fetched): FetchReason | null {
  // A browser gives no bytes of a file.
  if (task.request !== null || task.extract.read_as === 'document') return null
  if (isSearchResultsUrl(task.url)) return 'search_results'
  if (!fetched.ok) {
    if (fetched.onlyBrowserReads) return 'encoding'
    const { fault, status, retryAfterMs } = fetched
    const failure = { layer: 'static', code: fault.code, status, retryAfterMs } as const
    const next = nextLayer(failure, { isDirect: false, hasBrowser: true, hasProxy: false })
    return next === 'browser' ? 'refused' : null
  }
  if (fetched.kind === 'not_modified' || !isHtml(fetched.contentType)) return null
  // The same page was found readable last time.
  if (task.last?.bodyHash && Buffer.compare(task.last.bodyHash, fetched.bodyHash) === 0) return null
  const { buffer, byteOffset, length } = fetched.body
  const text = Buffer.from(buffer, byteOffset, Math.min(length, MEASURED_CHARS)).toString('latin1')
  return needsBrowser(measurePage(text)) === null ? null : 'needs_scripts'
}

export function isHtml(contentType: string | null): boolean {
  const type = mediaType(contentType)
  return type === '' || type === 'text/html' || type === 'application/xhtml+xml'
}

/** Less than a sentence: nobody watches a page for so little text. */
const MINIMAL_TEXT = 60
/** With less text than this, and twenty times as much script, a page is a shell with a message. */
const LITTLE_TEXT = 250
const SCRIPT_PER_TEXT = 20

/**
 * Returns why a page needs a browser before it can be read, as text for a user. Null: it can be read as fetched. A page
 * without scripts is complete, unless it redirects.
 */
export function needsBrowser(page: PageFeatures): string | null {
  const { textLength, inlineScript, externalScripts } = page
  if (page.sendsOn && textLength < ENOUGH_TEXT) return 'the page redirects to another address'
  if (inlineScript === 0 && externalScripts === 0) return null
  if (textLength < MINIMAL_TEXT) return 'the page has scripts and hardly any text'
  if (page.hasEmptyRoot && textLength < ENOUGH_TEXT) return 'the element that a script fills is empty'
  if (page.asksForScript && textLength < ENOUGH_TEXT) return 'the page asks for JavaScript and has little other text'
  if (textLength < LITTLE_TEXT && inlineScript > textLength * SCRIPT_PER_TEXT) return 'the page is nearly all script'
  return null
}
