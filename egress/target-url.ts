import { isIP } from 'node:net'
import type { Issue } from '../schema/validation/issue.ts'
import type { EgressPolicy } from './policy.ts'
import { REFUSED_PORTS } from './refused-ports.ts'
import { isLocalhost, plainName } from './resolve.ts'

/** The longest URL that is fetched, in characters. */
export const MAX_URL_LENGTH = 2_048

export type ParsedTarget = { readonly ok: true; readonly url: URL } | { readonly ok: false; readonly message: string }

/** Characters that two URL parsers may read differently: backslashes, control characters, white space of any script. */
export const AMBIGUOUS = /[\\\s\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060\ufeff]/

/**
 * The URL check. It checks the raw text before `new URL`, because the parser repairs what must be refused. Afterwards
 * only the parsed URL may be used or stored. Fragments are dropped. It does not check addresses.
 */
export function parseTargetUrl(raw: string): ParsedTarget {
  if (raw.length > MAX_URL_LENGTH) return refused(`The URL is longer than ${MAX_URL_LENGTH} characters.`)
  if (AMBIGUOUS.test(raw))
    return refused('The URL has a space, a backslash or a control character in it; write it percent-encoded.')
  if (!/^https?:\/\//i.test(raw)) return refused('The URL must begin with http:// or https://.')
  if (!/^https?:\/\/[^/?#]/i.test(raw)) return refused('The URL has no host name.')
  if (/^https?:\/\/[^/?#]*@/i.test(raw)) {
    return refused('The URL has a user name or password in it; send an Authorization header instead.')
  }
  const url = URL.parse(raw)
  if (url === null) return refused('The URL cannot be read; check its host name and port.')
  if (url.port === '0') return refused('The URL has port 0, which is not a valid port.')
  if (url.hostname.length > 254) return refused('The host name of the URL is longer than 253 characters.')
  url.hash = ''
  if (url.href.length > MAX_URL_LENGTH) return refused(`The URL is longer than ${MAX_URL_LENGTH} characters.`)
  return { ok: true, url }
}

function refused(message: string): ParsedTarget {
  return { ok: false, message }
}

/**
 * Names at which clouds serve credentials. Their addresses are refused at run time too; refusing the names here lets
 * the user see it when saving.
 */
const METADATA_NAMES: ReadonlySet<string> = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
])

/**
 * Checks what is known about a target when it is saved: the URL check, private literal addresses, names of this
 * machine, and ports that are refused on public addresses. A name that resolves to a private address is refused when it
 * is fetched, not here. The message repeats no part of the URL, which may come from a Secret.
 */
export function checkTargetUrl(raw: string, policy: EgressPolicy, path = ''): Issue | null {
  const parsed = parseTargetUrl(raw)
  if (!parsed.ok) return { path, message: parsed.message }
  const message = refusedTarget(parsed.url, policy)
  return message === null ? null : { path, message }
}

function refusedTarget(url: URL, policy: EgressPolicy): string | null {
  const name = plainName(url.hostname)
  const port = portOf(url)
  if (METADATA_NAMES.has(name)) return notAllowed('its host is a cloud metadata address', null)
  if (isLocalhost(name)) {
    const open = policy.refusal('127.0.0.1', port) === null || policy.refusal('::1', port) === null
    return open ? null : notAllowed('its host is loopback', policy.opensWith)
  }
  if (isIP(name) !== 0) {
    const reason = policy.refusal(name, port)
    return reason === null
      ? null
      : notAllowed(`its address is ${reason}`, policy.canOpen(name) ? policy.opensWith : null)
  }
  // A name may still resolve into a range that the operator opened, where every port is allowed. Without such a range
  // it cannot.
  if (!policy.opensPrivate && REFUSED_PORTS.has(port)) return 'Its port is not fetched; use the port of a web server.'
  return null
}

function notAllowed(what: string, opensWith: string | null): string {
  const how = opensWith === null ? '' : `, or have the operator of this installation open the range with ${opensWith}`
  return `The target is not allowed: ${what}. Use a public address${how}.`
}

/** Returns the port of a URL, or its scheme's default. */
export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port)
  return url.protocol === 'https:' ? 443 : 80
}
