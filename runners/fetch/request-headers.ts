import type { FetchRequest } from './fetched.ts'

/**
 * Ours, as undici's flat list. `br` is not offered while Node's Brotli decoder is 1.2.0; what may be offered is what
 * `decodeBody` reads.
 */
const OURS = [
  ['user-agent', 'Mozilla/5.0 (compatible; Tidemark/0.1)'],
  ['accept', 'text/html,application/xhtml+xml,application/xml;q=0.9,application/json;q=0.9,*/*;q=0.8'],
  ['accept-language', 'en-US,en;q=0.9,*;q=0.5'],
] as const
const ACCEPT_ENCODING = ['accept-encoding', 'gzip, deflate, zstd'] as const

const PLAIN: string[] = [...OURS.flat(), ...ACCEPT_ENCODING]

/**
 * Never sent, whoever wrote them: what belongs to the connection, and the reserved names of request headers.
 * `accept-encoding` belongs to the decoder. The API refuses most of these; a row that is older than a rule is not
 * trusted.
 */
export const NOT_THE_USERS: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'connection',
  'transfer-encoding',
  'cookie',
  'accept-encoding',
  'keep-alive',
  'upgrade',
  'expect',
  'te',
  'trailer',
  'proxy-connection',
  'proxy-authorization',
  'proxy-authenticate',
])

/**
 * Which of a request's own headers go with a hop: all to the first origin, none elsewhere; validators on the first
 * request only.
 */
export interface HeaderScope {
  readonly user: boolean
  readonly conditional: boolean
  readonly body: string | null
}

/**
 * Headers of one hop as undici's flat list, do not change it. A user's header replaces ours of the same name, in any
 * case.
 */
export function requestHeaders(request: FetchRequest, scope: HeaderScope): string[] {
  const user = scope.user ? request.headers : null
  const conditional = scope.conditional ? request.conditional : null
  if (user === null && conditional === null && scope.body === null) return PLAIN
  const flat = user === null ? [...PLAIN] : withUser(user)
  if (conditional !== null && conditional.etag !== null) flat.push('if-none-match', conditional.etag)
  if (conditional !== null && conditional.lastModified !== null)
    flat.push('if-modified-since', conditional.lastModified)
  if (scope.body !== null && !named(flat).has('content-type')) {
    flat.push('content-type', isJson(scope.body) ? 'application/json' : 'text/plain;charset=UTF-8')
  }
  return flat
}

function withUser(user: Readonly<Record<string, string>>): string[] {
  const own = Object.entries(user).filter(([name]) => !NOT_THE_USERS.has(name.toLowerCase()))
  const names = new Set(own.map(([name]) => name.toLowerCase()))
  return [...OURS.filter(([name]) => !names.has(name)).flat(), ...ACCEPT_ENCODING, ...own.flat()]
}

function named(flat: readonly string[]): Set<string> {
  return new Set(flat.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase()))
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Whether the request carries anything of the user's that must not travel in the clear or to strangers. */
export function hasUserHeaders(request: FetchRequest): boolean {
  return request.headers !== null && Object.keys(request.headers).length > 0
}
