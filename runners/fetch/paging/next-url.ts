import { AMBIGUOUS, MAX_URL_LENGTH, parseTargetUrl } from '../../../egress/target-url.ts'
import type { ParsedTarget } from '../../../egress/target-url.ts'

/**
 * Returns the next URL that a page names, after the URL check. A relative one is resolved against the page's address.
 * What resolving would repair is refused first. It does not check addresses: those are vetted when the URL is fetched.
 */
export function nextUrl(raw: string, base: string): ParsedTarget {
  if (raw.length > MAX_URL_LENGTH || /^[a-z][a-z0-9+.-]*:/i.test(raw)) return parseTargetUrl(raw)
  if (AMBIGUOUS.test(raw))
    return { ok: false, message: 'the next URL has a space, a backslash or a control character in it.' }
  const absolute = URL.parse(raw, base)?.href
  return absolute === undefined ? { ok: false, message: 'the next URL cannot be read.' } : parseTargetUrl(absolute)
}
