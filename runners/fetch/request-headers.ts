import type { IncomingHttpHeaders } from 'node:http'
import { UNSENT_HEADERS } from '../../egress/unsent-headers.ts'
import type { FetchRequest } from './fetched.ts'
import { isJson } from './paging/json-text.ts'

/**
 * The default headers, as undici's flat list. `br` is not offered while Node's Brotli decoder is 1.2.0. Only encodings
 * that `decodeBody` reads may be offered.
 */
const DEFAULTS = [
  ['user-agent', 'Mozilla/5.0 (compatible; Tidemark/0.1)'],
  ['accept', 'text/html,application/xhtml+xml,application/xml;q=0.9,application/json;q=0.9,*/*;q=0.8'],
  ['accept-language', 'en-US,en;q=0.9,*;q=0.5'],
  ['accept-encoding', 'gzip, deflate, zstd'],
] as const

const DEFAULTS_FLAT: string[] = DEFAULTS.flat()

/**
 * Which of the user's headers go with a hop. All go to the first origin and none elsewhere. Validators go with the
 * first request only.
 */
interface HeaderScope {
  readonly user: boolean
  readonly conditional: boolean
  readonly body: string | null
}

/**
 * Returns the headers of one hop as undici's flat list; do not change it. A user's header replaces the default of the
 * same name, in any case.
 */
export function requestHeaders(request: FetchRequest, scope: HeaderScope): string[] {
  const user = scope.user ? request.headers : null
  const conditional = scope.conditional ? request.conditional : null
  if (user === null && conditional === null && scope.body === null) return DEFAULTS_FLAT
  const flat = user === null ? [...DEFAULTS_FLAT] : withUser(user)
  if (conditional !== null && conditional.etag !== null) flat.push('if-none-match', conditional.etag)
  if (conditional !== null && conditional.lastModified !== null)
    flat.push('if-modified-since', conditional.lastModified)
  if (scope.body !== null && !named(flat).has('content-type')) {
    flat.push('content-type', isJson(scope.body) ? 'application/json' : 'text/plain;charset=UTF-8')
  }
  return flat
}

function withUser(user: Readonly<Record<string, string>>): string[] {
  const own = Object.entries(user).filter(([name]) => !UNSENT_HEADERS.has(name.toLowerCase()))
  const names = new Set(own.map(([name]) => name.toLowerCase()))
  return [...DEFAULTS.filter(([name]) => !names.has(name)).flat(), ...own.flat()]
}

function named(flat: readonly string[]): Set<string> {
  return new Set(flat.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase()))
}

/** Returns whether the request carries user headers, which must not be sent unencrypted or to another origin. */
export function hasUserHeaders(request: FetchRequest): boolean {
  return request.headers !== null && Object.keys(request.headers).length > 0
}

/** Returns the first value of a header by its lower-case name, or null when it is absent. */
export function oneHeader(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name]
  return (Array.isArray(value) ? value[0] : value) ?? null
}
