import type { IncomingHttpHeaders } from 'node:http'

/** Returns the first value of a header by its lower-case name, or null when it is absent. */
export function oneHeader(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name]
  return (Array.isArray(value) ? value[0] : value) ?? null
}
