import { createHmac, hash, randomInt, timingSafeEqual } from 'node:crypto'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Returns how the sign-in library stores the name of a token: its hash, so that the database opens no account. */
export const hashedIdentifier = (identifier: string): string => hash('sha256', identifier, 'base64url')

/** Returns the random part of a session, in its stored form: 190 bits. */
export const newSessionToken = (): string =>
  Array.from({ length: 32 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')

/**
 * Returns the credential of a client: the stored token and its signature, in the form of the sign-in library's cookies
 * and bearer tokens. The content of the database alone does not open a session.
 */
export const signSessionToken = (token: string, key: string): string => `${token}.${signature(token, key)}`

/** Returns the stored token of a credential, or null when the key does not give its signature. */
export function readSessionCredential(credential: string, key: string): string | null {
  const text = decoded(credential)
  const dot = text.lastIndexOf('.')
  if (dot < 1) return null
  const token = text.slice(0, dot)
  const given = Buffer.from(text.slice(dot + 1), 'base64')
  const right = Buffer.from(signature(token, key), 'base64')
  return given.length === right.length && timingSafeEqual(given, right) ? token : null
}

const signature = (token: string, key: string) => createHmac('sha256', key).update(token).digest('base64')

function decoded(credential: string): string {
  try {
    return credential.includes('%') ? decodeURIComponent(credential) : credential
  } catch {
    return credential
  }
}
