import type { Json } from '../../../schema/shape/json.ts'
import { fitsDouble } from './number-text.ts'

/** A JSON text, read twice where it has numbers that no double holds. */
export interface ParsedJson {
  /** As `JSON.parse` has it: what expressions compare with. */
  readonly plain: Json
  /**
   * The same with such a number as the text that the page wrote: what is kept. The very same object where there is
   * none.
   */
  readonly exact: Json
}

/**
 * A number behind what may stand before one: of sixteen digits, or with an exponent of three. Inside texts it may match
 * for nothing.
 */
const MAY_NOT_FIT = /(?:^|[[,:\s])-?(?:[\d.]{16}|[\d.]+[eE][+-]?\d{3})/

/**
 * Parses JSON, once unless it may have a number that no double holds: such a one would change unseen, or be an
 * infinity, which no JSON can carry on. Throws a SyntaxError for what is no JSON. Nesting is bounded beforehand
 * (`prescanJson`).
 */
export function parseJson(text: string): ParsedJson {
  const plain = JSON.parse(text) as Json
  return { plain, exact: MAY_NOT_FIT.test(text) ? keepingNumbers(text, plain) : plain }
}

function keepingNumbers(text: string, plain: Json): Json {
  let isKept = false
  const exact = JSON.parse(text, (_key, value: Json, context?: { readonly source?: string }) => {
    const token = typeof value === 'number' ? context?.source : undefined
    if (token === undefined || fitsDouble(token)) return value
    isKept = true
    return token
  }) as Json
  return isKept ? exact : plain
}
