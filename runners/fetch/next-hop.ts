import { parseTargetUrl } from '../../egress/target-url.ts'
import type { RunFault } from '../../schema/run/run-fault.ts'
import { redirectFault } from './fetch-faults.ts'

/** One request of a fetch, and whether it still goes to the origin that the user's headers are for. */
export interface Hop {
  readonly url: URL
  readonly method: string
  readonly body: string | null
  readonly sameOrigin: boolean
  /** Redirects before this request. */
  readonly count: number
}

type NextHop = { readonly ok: true; readonly hop: Hop } | { readonly ok: false; readonly fault: RunFault }

/**
 * Returns the target of a redirect. It passes the URL check again and follows the method rules of RFC 9110 §15.4. After
 * a change of origin the user's headers are not sent any more, even when a redirect leads back. A body is not sent to
 * another origin, and a request with user headers does not go from https to http.
 */
export function nextHop(from: Hop, status: number, location: string | null, hasUserHeaders: boolean): NextHop {
  const refuse = (why: string): NextHop => ({ ok: false, fault: redirectFault(from.url.host, why) })
  if (location === null || location === '')
    return refuse('that has no Location. Open the URL in a browser and use the address where it ends.')
  const url = targetOf(location, from.url)
  if (url === null)
    return refuse(
      'to an address that is not followed (not http or https, or malformed). Use the address where it ends.',
    )
  if (hasUserHeaders && from.url.protocol === 'https:' && url.protocol === 'http:') {
    return refuse(
      'from https to http, which is not followed with request headers set. Use the final address, or remove the ' +
        'headers.',
    )
  }
  const sameOrigin = url.origin === from.url.origin
  const keepsMethod = isMethodKept(from.method, status)
  const body = keepsMethod ? from.body : null
  if (body !== null && !sameOrigin) {
    return refuse('to another site, to which the request body is not sent. Use the final address in the monitor.')
  }
  return {
    ok: true,
    hop: {
      url,
      method: keepsMethod ? from.method : 'GET',
      body,
      sameOrigin: from.sameOrigin && sameOrigin,
      count: from.count + 1,
    },
  }
}

/**
 * 307 and 308 keep any method. 303 turns every method into GET. 301 and 302 turn only POST into GET, as browsers do.
 */
function isMethodKept(method: string, status: number): boolean {
  if (status === 307 || status === 308) return true
  return status !== 303 && method !== 'POST'
}

/**
 * Returns the target of a Location header, or null. It is often relative, and sometimes raw UTF-8 that arrives as
 * Latin-1. The URL check sees what was sent.
 */
function targetOf(location: string, base: URL): URL | null {
  const raw = Buffer.from(location, 'latin1').toString()
  const absolute = /^[a-z][a-z0-9+.-]*:/i.test(raw) ? raw : absoluteOf(raw, base)
  if (absolute === null) return null
  const parsed = parseTargetUrl(absolute)
  return parsed.ok ? parsed.url : null
}

function absoluteOf(raw: string, base: URL): string | null {
  // Resolving would repair these characters before the URL check could refuse them.
  if (/[\\\s\u0000-\u001f\u007f-\u009f]/.test(raw)) return null
  return URL.parse(raw, base.href)?.href ?? null
}
