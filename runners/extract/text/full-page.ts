import { createHash } from 'node:crypto'
import type { Json } from '../../../schema/shape/json.ts'
import { canonicalJson } from '../json/canonical-json.ts'
import { decode } from './charset.ts'
import { fitsDouble } from '../json/number-text.ts'
import type { Page } from '../page.ts'
import { isJsonType, mediaType } from './page-kind.ts'
import { prescanJson, renamePoison } from '../json/prescan-json.ts'

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
