import { printable } from '../../core/printable.ts'
import manifest from '../../package.json' with { type: 'json' }
import type { RemoteAnswer, RemoteRequest } from './remote-request.ts'

/** The body of a refusal. Any server may have answered, so each part of it may be missing. */
interface Refusal {
  readonly error?: {
    readonly message?: string
    readonly details?: readonly { readonly path?: string; readonly message?: string }[]
    readonly requestId?: string
  }
}

/** Returns the server's words, with a line for each fault of the request. */
export function inWords(refusal: Refusal | null, status: number) {
  const { message = `the server answered ${status}`, details = [], requestId = '' } = refusal?.error ?? {}
  // The message names the first fault.
  const listed = details.length === 1 && message.includes(details[0]?.message?.replace(/\.$/, '') ?? '') ? [] : details
  const lines = listed.map(({ path = '', message: fault = '' }) => `\n  ${printable(`${path} ${fault}`.trim())}`)
  const issues = status === 422 ? details.map(({ path = '', message: fault = '' }) => ({ path, message: fault })) : []
  const said = `${printable(message)}${lines.join('')}`
  return { said, issues, requestId: printable(requestId) || 'the time of this request' }
}

/** Returns the value of a JSON text; undefined where it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

export function refusalOf(text: string): Refusal | null {
  const body = parsed(text) as Refusal | null | undefined
  return typeof body?.error?.message === 'string' ? body : null
}

/**
 * Returns what to add to a refusal by a server of an earlier version, which may not know an address or a key. A server
 * says its version to those who have a key.
 */
export function olderServer({ method, path }: RemoteRequest, { status, headers }: RemoteAnswer): string {
  const version = headers.get('tidemark-version')
  if (![404, 405, 422].includes(status) || !isEarlier(version, manifest.version)) return ''
  const theirs = version === null ? 'does not say its version, so it is an earlier one' : `is ${printable(version)}`
  return (
    `\nThis command is version ${manifest.version}, and the server ${theirs}: it may not know ${method} ${path}, or ` +
    'a key that was sent. Update the server.'
  )
}

/** Returns whether a version comes before another. One that is missing comes before all. */
function isEarlier(version: string | null, than: string): boolean {
  const numbers = (text: string) => text.split(/[-+]/, 1)[0]?.split('.').map(Number) ?? []
  if (version === null) return true
  const ours = numbers(than)
  const [at, theirs] = [...numbers(version).entries()].find(([index, number]) => number !== ours[index]) ?? []
  return at !== undefined && theirs !== undefined && theirs < (ours[at] ?? 0)
}
