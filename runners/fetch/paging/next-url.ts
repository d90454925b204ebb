import { AMBIGUOUS, MAX_URL_LENGTH, parseTargetUrl } from '../../../egress/target-url.ts'
import type { ParsedTarget } from '../../../egress/target-url.ts'

/**
 * A page's own word for where the next one is: through the parse wall, relative ones against the page's address. What
 * resolving would repair is refused before. Says nothing about addresses: those are vetted when it is fetched.
 */
export function nextUrl(raw: string, base: string): ParsedTarget {
  if (raw.length > MAX_URL_LENGTH || /^[a-z][a-z0-9+.-]*:/i.test(raw)) return parseTargetUrl(raw)
  if (AMBIGUOUS.test(raw))
    return { ok: false, message: 'the next URL has a space, a backslash or a control character in it.' }
  const absolute = URL.parse(raw, base)?.href
  return absolute === undefined ? { ok: false, message: 'the next URL cannot be read.' } : parseTargetUrl(absolute)
}
