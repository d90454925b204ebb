import { ENOUGH_TEXT, type PageFeatures } from './page/page-features.ts'

/** Less than a sentence: nobody watches a page for that. */
const HARDLY_ANY_TEXT = 60
/** Less than this is a shell with a message, when there is twenty times as much script. */
const SCANT_TEXT = 250
const SCRIPT_PER_TEXT = 20

/**
 * Why a page needs a browser before it can be read, in words for a person; null: it can be read as it came. A page
 * without any script has all that it will ever have, unless it sends its reader on.
 */
export function needsBrowser(page: PageFeatures): string | null {
  const { textLength, inlineScript, externalScripts } = page
  if (page.sendsOn && textLength < ENOUGH_TEXT) return 'the page sends its reader on to another address'
  if (inlineScript === 0 && externalScripts === 0) return null
  if (textLength < HARDLY_ANY_TEXT) return 'the page holds scripts and hardly any text'
  if (page.hasEmptyRoot && textLength < ENOUGH_TEXT) return 'the element that a script fills is empty'
  if (page.asksForScript && textLength < ENOUGH_TEXT) return 'the page asks for JavaScript and holds little else'
  if (textLength < SCANT_TEXT && inlineScript > textLength * SCRIPT_PER_TEXT) return 'the page is nearly all script'
  return null
}
