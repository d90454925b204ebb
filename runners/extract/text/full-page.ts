import { createHash } from 'node:crypto'
import type { Json } from '../../../schema/shape/json.ts'
import { canonicalJson } from '../json/canonical-json.ts'
import { fitsDouble } from '../json/number-text.ts'
import { prescanJson, renamePoison } from '../json/prescan-json.ts'
import { EXTRACT_LIMITS } from '../limits.ts'
import type { Page } from '../page.ts'
import { decode } from './charset.ts'
import { isJsonType, mediaType } from './page-kind.ts'
import { plainText, tidyLines } from './prompt-text.ts'
import { cutText } from './truncate.ts'

/**
 * A double keeps 15 digits for certain. A longer number could change unnoticed when parsed, so its text is used
 * instead.
 */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g
const SAFE_LENGTH = 15

/**
 * Returns the SHA-256 of the response, in hex. A JSON response is hashed with its keys sorted and without its white
 * space, because many services change the order of keys from response to response. Broken or too deeply nested JSON is
 * hashed as received.
 */
export function contentHash(page: Page): string {
  const text = isJsonType(mediaType(page.contentType)) ? canonicalText(page) : null
  return createHash('sha256')
    .update(text ?? page.body)
    .digest('hex')
}

/** Returns the SHA-256 of lines, in hex. */
export function linesHash(lines: readonly string[]): string {
  return createHash('sha256').update(lines.join('\n')).digest('hex')
}

/** Returns lines as the text that is kept. A cut one ends in a hash of the whole, so that a change behind it shows. */
export function boundPageText(lines: readonly string[]): string {
  const text = lines.join('\n')
  const most = EXTRACT_LIMITS.pageTextBytes
  return Buffer.byteLength(text) <= most ? text : cutText(text, most)
}

/**
 * Returns the lines of a response that is not markup; null when it is. JSON is written with a line for each value and
 * its keys sorted, so that the order of keys makes no difference.
 */
export function plainLines(
  page: Page,
): { readonly lines: readonly string[]; readonly warnings: readonly string[] } | null {
  const plain = plainText(page)
  if (plain === null) return null
  const json = isJsonType(mediaType(page.contentType)) ? indentedJson(plain.text) : null
  return { lines: json?.split('\n') ?? tidyLines(plain.text), warnings: plain.warnings }
}

function indentedJson(plain: string): string | null {
  const text = renamePoison(plain)
  if (prescanJson(text) !== null) return null
  try {
    return JSON.stringify(JSON.parse(canonicalJson(JSON.parse(text) as Json)), null, 2)
  } catch {
    return null
  }
}

function canonicalText(page: Page): string | null {
  const text = renamePoison(decode(page.body, page.contentType, 'json').text)
  if (prescanJson(text) !== null) return null
  try {
    return canonicalJson(JSON.parse(text.replace(STRING_OR_NUMBER, keepLongNumber)) as Json)
  } catch {
    return null
  }
}

function keepLongNumber(token: string): string {
  return token.startsWith('"') || isRepresented(token) ? token : `"number ${token}"`
}

/**
 * Returns whether a token survives parsing. A short one may be lost as well: 1e400 and 1e500 both become an infinity. A
 * token that is not a number stays, so that the parser refuses it.
 */
function isRepresented(token: string): boolean {
  return token.length <= SAFE_LENGTH && (fitsDouble(token) || Number.isNaN(Number(token)))
}
