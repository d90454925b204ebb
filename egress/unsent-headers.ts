import { RESERVED_HEADERS } from '../schema/rules/header-rules.ts'

/**
 * Headers that a request never takes from a user's configuration: those that no configuration may name, and those of
 * the connection. A configuration that is stored, or that is for requests of pages, may name the latter.
 */
export const UNSENT_HEADERS: ReadonlySet<string> = new Set([
  ...RESERVED_HEADERS,
  'keep-alive',
  'upgrade',
  'expect',
  'te',
  'trailer',
  'proxy-connection',
  'proxy-authorization',
  'proxy-authenticate',
])

/** Returns the names of configured headers that are never sent, as they are written. */
export const unsentNames = (configured: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.keys(configured).filter((name) => UNSENT_HEADERS.has(name.toLowerCase()))

/** Returns the warning for configured headers that are never sent; null: there are none. */
export function unsentWarning(names: readonly string[], place: string): string | null {
  const each = new Map(names.map((name) => [name.toLowerCase(), JSON.stringify(name)]))
  if (each.size === 0) return null
  const listed = [...each.values()].join(', ')
  return `Headers that belong to a connection cannot be sent: ${listed}. Remove them from ${place}.`
}
