import { parseJsonText } from '../validation/parse-json-text.ts'

/** JSON of an object or a list begins so. A name begins with two braces. */
const LIKE_JSON = /^\s*(?:\{(?!\{)|\[)/

/**
 * Returns what should be known of a body that looks as if it was meant as JSON, and is sent as text: where reading it
 * as JSON stopped. Null: it is JSON, or another text.
 */
export function bodyRemark(body: string): string | null {
  if (!LIKE_JSON.test(body)) return null
  const parsed = parseJsonText(body)
  return parsed.ok ? null : `is sent as text, because it is not JSON: ${parsed.fault}. In JSON, names stand in quotes.`
}
