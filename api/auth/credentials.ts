import type { IncomingHttpHeaders } from 'node:http'
import { isApiKeyText } from '../../store/accounts/api-key-text.ts'
import { readSessionCredential } from '../../store/accounts/session-token.ts'

/** The credentials that a request presents. */
type Credentials =
  | { readonly kind: 'key'; readonly text: string }
  | { readonly kind: 'session'; readonly token: string; readonly viaCookie: boolean }

/** The ways in which a session is transported. */
export interface SessionCarrier {
  readonly key: string
  readonly cookieName: string
}

const BEARER = /^bearer ([^\s]+)$/i

/**
 * Returns the credentials of a request; null when it has none, or none that can be valid. When there is an
 * Authorization header, only that header counts, so that a call with a key never falls back to a browser's cookie.
 * Nothing else carries credentials: a key in the address is ignored.
 */
export function readCredentials(headers: IncomingHttpHeaders, carrier: SessionCarrier): Credentials | null {
  if (headers.authorization !== undefined) {
    const text = BEARER.exec(headers.authorization)?.[1]
    if (text === undefined) return null
    if (text.startsWith('svc_')) return isApiKeyText(text) ? { kind: 'key', text } : null
    return session(text, carrier, false)
  }
  const cookie = headers.cookie === undefined ? undefined : cookieValue(headers.cookie, carrier.cookieName)
  return cookie === undefined ? null : session(cookie, carrier, true)
}

function session(credential: string, carrier: SessionCarrier, viaCookie: boolean): Credentials | null {
  const token = readSessionCredential(credential, carrier.key)
  return token === null ? null : { kind: 'session', token, viaCookie }
}

function cookieValue(header: string, name: string): string | undefined {
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=')
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim()
  }
  return undefined
}
