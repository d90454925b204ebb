import type { IncomingHttpHeaders } from 'node:http'
import { findLiveApiKey } from '../../store/accounts/api-key-lookup.ts'
import type { Store } from '../../store/db/client.ts'
import { findLiveSession } from '../../store/accounts/sessions.ts'
import { readCredentials, type SessionCarrier } from './credentials.ts'
import type { KeyPrincipal, Principal, SessionPrincipal } from './principal.ts'
import { createShortMemory } from './short-memory.ts'

/** Finds the caller of a request. */
export interface Principals {
  /**
   * Returns null when credentials are missing, malformed, unknown, expired or revoked. All these cases have the same
   * answer.
   */
  find(headers: IncomingHttpHeaders): Promise<Principal | null>
  /** To be called after this process has revoked keys: they are refused from the next request on. */
  forgetKeys(): void
}

/** A revocation takes effect in every other process within a second. */
const CACHE_MS = 900

/** Looks principals up in the store, and caches each for less than a second. */
export function createPrincipals(store: Store, carrier: SessionCarrier): Principals {
  const keys = createShortMemory<KeyPrincipal>(CACHE_MS)
  const sessions = createShortMemory<Omit<SessionPrincipal, 'viaCookie'>>(CACHE_MS)
  return {
    async find(headers) {
      const credentials = readCredentials(headers, carrier)
      if (!credentials) return null
      if (credentials.kind === 'key') return keys.get(credentials.text, () => loadKey(store, credentials.text))
      const session = await sessions.get(credentials.token, () => loadSession(store, credentials.token))
      return session && { ...session, viaCookie: credentials.viaCookie }
    },
    forgetKeys: () => keys.forget(),
  }
}

async function loadKey(store: Store, text: string) {
  const key = await findLiveApiKey(store, text)
  if (!key) return null
  const { id: keyId, teamId, userId, name, scopes } = key
  return { value: { kind: 'key', keyId, teamId, userId, name, scopes } as const, livesMs: key.livesMs ?? Infinity }
}

async function loadSession(store: Store, token: string) {
  const session = await findLiveSession(store, token)
  if (!session) return null
  const { id: sessionId, teamId, userId, email, role } = session
  return { value: { kind: 'session', sessionId, teamId, userId, email, role } as const, livesMs: session.livesMs }
}
