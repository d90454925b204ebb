import type { Extraction } from '../page.ts'
import { ENOUGH_TEXT, MEASURED_CHARS, measurePage, type PageFeatures } from './page-features.ts'

/** Less than a sentence: nobody watches a page for so little text. */
const MINIMAL_TEXT = 60
/** With less text than this, and twenty times as much script, a page is a shell with a message. */
const LITTLE_TEXT = 250
const SCRIPT_PER_TEXT = 20

/** What is read of a shell. */
export const SHELL: Extraction = { ok: true, values: {}, warnings: [], isShell: true }

/** Returns whether HTML is a shell: a page that a script still has to fill before it can be read. */
export function isShell({ buffer, byteOffset, length }: Uint8Array): boolean {
  const text = Buffer.from(buffer, byteOffset, Math.min(length, MEASURED_CHARS)).toString('latin1')
  return needsBrowser(measurePage(text)) !== null
}

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
