import type { IncomingHttpHeaders } from 'node:http'
import { apiError } from './api-error.ts'

const UTF8 = new TextDecoder('utf-8', { fatal: true })
/** Only a text that matches can contain a number that is infinite once it is read. */
const MAY_OVERFLOW = /\d[eE]\+?\d{3}|\d{300}/

/**
 * Returns the value of a request's body; undefined when it is empty. Throws VALIDATION_ERROR when the body is not
 * UTF-8, not JSON, has a key that could change a prototype, or a number that is too large.
 */
export function parseJsonBody(bytes: Buffer): unknown {
  const text = decode(bytes)
  if (text.trim() === '') return undefined
  const value = parse(text)
  if (text.includes('__proto__') && hasPrototypeKey(value)) throw malformed('must not have a key __proto__')
  if (MAY_OVERFLOW.test(text) && hasOverflow(value)) throw malformed('must not contain numbers beyond 1.8e308')
  return value
}

/**
 * Treats an empty body as no body, whatever its content type: `curl -d ''` declares a form, and `fetch` with an empty
 * text declares text.
 */
export function forgetTypeOfNothing(headers: IncomingHttpHeaders): void {
  if (headers['content-length'] === '0' && headers['transfer-encoding'] === undefined) delete headers['content-type']
}

/** Refuses bodies that declare another character set or a compression. */
export function refuseEncoded(headers: IncomingHttpHeaders): void {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8'
  const encoding = headers['content-encoding'] ?? 'identity'
  if (!/^utf-?8$/i.test(charset) || encoding.toLowerCase() !== 'identity')
    throw apiError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json in UTF-8, not compressed.')
}

function decode(bytes: Buffer): string {
  try {
    return UTF8.decode(bytes)
  } catch {
    throw malformed('must be UTF-8')
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw malformed('must be JSON')
  }
}

const hasOverflow = (value: unknown): boolean =>
  some(value, (item) => typeof item === 'number' && !Number.isFinite(item))
const hasPrototypeKey = (value: unknown): boolean =>
  some(value, (item) => item !== null && typeof item === 'object' && Object.hasOwn(item, '__proto__'))

/** Searches without recursion: JSON may be nested deeper than the stack. */
function some(root: unknown, test: (value: unknown) => boolean): boolean {
  const left = [root]
  while (left.length > 0) {
    const value = left.pop()
    if (test(value)) return true
    if (value !== null && typeof value === 'object') for (const item of Object.values(value)) left.push(item)
  }
  return false
}

const malformed = (message: string) => apiError('VALIDATION_ERROR', `The body ${message}.`, [{ path: '', message }])
