import type { Json } from '../../../schema/shape/json.ts'
import { parseJson } from '../json/parse-json.ts'
import { prescanJson, renamePoison } from '../json/prescan-json.ts'
import { type Failed, failed, type Page } from '../page.ts'
import { decode } from '../text/charset.ts'
import { isBinaryType, isJsonType, mediaType } from '../text/page-kind.ts'

/** Bytes before the first character of a JSON text. */
const LEAD = 200

/** An answer of JSON, as its rules read it. */
interface JsonDocument {
  readonly ok: true
  readonly document: Json
}

/** Returns the JSON of an answer; null: it is something else. */
export function documentOf({ body, contentType, isOpened = false }: Page): JsonDocument | Failed | null {
  if (isBinaryType(mediaType(contentType)) || !mayBeJson(body)) return null
  const { text } = decode(body, contentType, 'json')
  const excess = isOpened ? null : prescanJson(text)
  if (excess !== null)
    return isJsonType(mediaType(contentType)) ? failed('too_complex', `${excess} Watch a smaller answer.`) : null
  try {
    return { ok: true, document: parseJson(isOpened ? renamePoison(text) : text).exact }
  } catch {
    return null
  }
}

/** An object or a list: a page that is one word is a text. */
const mayBeJson = (body: Uint8Array) =>
  /^[^\x21-\x7e]*[[{]/.test(Buffer.from(body.subarray(0, LEAD)).toString('latin1'))
