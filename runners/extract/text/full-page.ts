import { createHash } from 'node:crypto'
import type { Json } from '../../../schema/shape/json.ts'
import { canonicalJson } from '../json/canonical-json.ts'
import { decode } from './charset.ts'
import { fitsDouble } from '../json/number-text.ts'
import type { Page } from '../page.ts'
import { isJsonType, mediaType } from './page-kind.ts'
import { prescanJson, renamePoison } from '../json/prescan-json.ts'

/** Doubles hold 15 digits for sure: a longer number could change unseen through a parse, so its text stands for it. */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g
const SAFE_LENGTH = 15

/**
 * SHA-256 of the answer, in hex. A JSON answer is hashed with its keys sorted and without its white space, since many
 * services give the keys of an object in another order each time; what is broken or nested too deeply is hashed as it
 * came.
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
  return token.startsWith('"') || isHeld(token) ? token : `"number ${token}"`
}

/**
 * A short one may be lost as well: 1e400 and 1e500 are both an infinity. What is no number stays, so that the parse
 * refuses it.
 */
function isHeld(token: string): boolean {
  return token.length <= SAFE_LENGTH && (fitsDouble(token) || Number.isNaN(Number(token)))
}
