import type { Json } from '../../../schema/shape/json.ts'
import { fitsDouble } from './number-text.ts'

/** A parsed JSON text. It is parsed twice where it has numbers that no double represents. */
export interface ParsedJson {
  /** The result of `JSON.parse`: expressions compare with it. */
  readonly plain: Json
  /**
   * The same with such numbers as the text of the page: this is kept. It is the same object as `plain` where there are
   * none.
   */
  readonly exact: Json
}

/**
 * A number after a character that may precede one, with sixteen digits or an exponent of three. Inside strings it may
 * match without need.
 */
const MAY_NOT_FIT = /(?:^|[[,:\s])-?(?:[\d.]{16}|[\d.]+[eE][+-]?\d{3})/

/**
 * Parses JSON, once unless it may have a number that no double represents. Such a number would change unnoticed, or
 * become an infinity, which JSON cannot express. Throws a SyntaxError for text that is not JSON. The caller limits the
 * nesting before (`prescanJson`).
 */
export function parseJson(text: string): ParsedJson {
  const plain = JSON.parse(text) as Json
  return { plain, exact: MAY_NOT_FIT.test(text) ? withExactNumbers(text, plain) : plain }
}

function withExactNumbers(text: string, plain: Json): Json {
  let isKept = false
  const exact = JSON.parse(text, (_key, value: Json, context?: { readonly source?: string }) => {
    const token = typeof value === 'number' ? context?.source : undefined
    if (token === undefined || fitsDouble(token)) return value
    isKept = true
    return token
  }) as Json
  return isKept ? exact : plain
}
