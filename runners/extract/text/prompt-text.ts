import { parseJson } from '../json/parse-json.ts'
import { prescanJson } from '../json/prescan-json.ts'
import { EXTRACT_LIMITS } from '../limits.ts'
import { failed } from '../page.ts'
import type { Extraction, Page } from '../page.ts'
import { decode } from './charset.ts'
import { isJsonType, mediaType } from './page-kind.ts'
import { LINE_END } from './readable-text.ts'

/**
 * Invisible characters: zero-width ones, those that reverse text, and the tag characters that can spell whole
 * sentences. Joiners stay between letters of the scripts that are written with them.
 */
const INVISIBLE = new RegExp(
  [
    /(?!\p{Join_Control}|\p{Variation_Selector})\p{Default_Ignorable_Code_Point}/u,
    /[\ufff9-\ufffb]/u,
    /\p{Join_Control}{2,}/u,
    /(?<![^\0-\u02ff])\p{Join_Control}/u,
    /\p{Join_Control}(?![^\0-\u02ff])/u,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gu',
)

/**
 * Returns the text of a page for the model: white space collapsed, invisible characters removed, at most 50,000
 * characters.
 */
export function promptText(lines: string, warnings: readonly string[]): Extraction {
  const tidy = tidyLines(lines).join('\n')
  if (tidy === '')
    return failed(
      'empty_body',
      'The page has no text to be read. Check the address, or whether it needs a browser (fetch_mode browser).',
    )
  const { text, isCut } = cut(tidy)
  const allWarnings = isCut ? [...warnings, CUT] : warnings
  return { ok: true, values: {}, text, warnings: allWarnings }
}

/** Returns the lines with white space collapsed, without invisible characters, and without empty lines. */
export function tidyLines(lines: string): string[] {
  return lines
    .replaceAll(INVISIBLE, '')
    .split(/[\0\n\r\u2028\u2029]+/)
    .map((line) =>
      line
        .replace(/\s+/g, ' ')
        .trim()
        .replace(/(?: ?\|)+$/, ''),
    )
    .filter((line) => line !== '' && line !== '-' && !/^#+$/.test(line))
}

const MOST = EXTRACT_LIMITS.promptCharacters
const CUT =
  `The page has more than ${MOST.toLocaleString('en')} characters of text; ` + `the model received only the first ones.`

/** Characters are code points, so that none is cut in two. */
function cut(text: string): { text: string; isCut: boolean } {
  let end = 0
  for (let count = 0; count < MOST && end < text.length; count += 1)
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
  return { text: text.slice(0, end), isCut: end < text.length }
}

/**
 * Returns the text of a response that is not markup; null when it is. JSON loses its white space, so that more of it
 * fits.
 */
export function plainText(page: Page): { readonly text: string; readonly warnings: readonly string[] } | null {
  const type = mediaType(page.contentType)
  if (isJsonType(type)) {
    const { text, warnings } = decode(page.body, page.contentType, 'json')
    return { text: compactJson(text) ?? text, warnings }
  }
  const isText = type.startsWith('text/') && !/^text\/(?:html|xml)$/.test(type)
  if (!isText) return null
  const { text, warnings } = decode(page.body, page.contentType, 'text')
  return { text: text.replaceAll('\0', LINE_END), warnings }
}

function compactJson(text: string): string | null {
  if (prescanJson(text) !== null) return null
  try {
    return JSON.stringify(parseJson(text).exact)
  } catch {
    return null
  }
}
