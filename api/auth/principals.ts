import { LRUCache } from 'lru-cache'
import type { IncomingHttpHeaders } from 'node:http'
import type { Scope } from '../../schema/account/api-key.ts'
import type { Actor } from '../../schema/account/audit.ts'
import type { Role } from '../../schema/account/role.ts'
import { findLiveApiKey, isApiKeyText } from '../../store/accounts/credentials/api-key-text.ts'
import { readSessionCredential } from '../../store/accounts/credentials/session-token.ts'
import { findLiveSession } from '../../store/accounts/credentials/sessions.ts'
import type { Store } from '../../store/db/client.ts'

/** An API key: it acts for its team. */
export interface KeyPrincipal {
  readonly kind: 'key'
  readonly keyId: string
  readonly teamId: string
  /** The account that created the key. Objects that the key creates are recorded under this account. */
  readonly userId: string
  readonly name: string
  readonly scopes: readonly Scope[]
}

/** A signed-in user, in the team that is active for the session. */
export interface SessionPrincipal {
  readonly kind: 'session'
  readonly sessionId: string
  readonly teamId: string
  readonly userId: string
  readonly email: string
  readonly role: Role
  /** The browser sent the cookie by itself, so another site may have caused the request (`cross-site.ts`). */
  readonly viaCookie: boolean
}

/** The caller of a request. */
export type Principal = KeyPrincipal | SessionPrincipal

/** Returns the session of a caller whose route admits no API key. */
export function sessionOf(principal: Principal): SessionPrincipal {
  if (principal.kind === 'key') throw new TypeError('a route for signed-in users was reached with an API key')
  return principal
}

/** Returns the principal as the audit log names it. */
export const actorOf = (principal: Principal, ip: string | null): Actor =>
  principal.kind === 'key'
    ? { type: 'api_key', id: principal.keyId, label: principal.name, ip }
    : { type: 'user', id: principal.userId, label: principal.email, ip }

/** Finds the caller of a request. */
export interface Principals {
  /**
   * Returns null when credentials are missing, malformed, unknown, expired or revoked. All these cases have the same
   * answer.
   */
  find(headers: IncomingHttpHeaders): Promise<Principal | null>
  /** To be called after this process has revoked keys: they are refused here from the next request on. */
  forgetKeys(): void
}

/** The revocation of a key takes effect in every other process within a second. */
const CACHE_MS = 900

/**
 * Looks principals up in the store. Keys are remembered for less than a second. Sessions are not: a new password, a
 * change of role and a removal from the team hold in every process from the next request on.
 */
export function createPrincipals(store: Store, carrier: SessionCarrier): Principals {
  const keys = createShortMemory<KeyPrincipal>(CACHE_MS)
  return {
    async find(headers) {
      const credentials = readCredentials(headers, carrier)
      if (!credentials) return null
      if (credentials.kind === 'key') return keys.get(credentials.text, () => loadKey(store, credentials.text))
      return loadSession(store, credentials)
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

async function loadSession(
  store: Store,
  { token, viaCookie }: Extract<Credentials, { kind: 'session' }>,
): Promise<SessionPrincipal | null> {
  const session = await findLiveSession(store, token)
  if (!session) return null
  const { id: sessionId, teamId, userId, email, role } = session
  return { kind: 'session', sessionId, teamId, userId, email, role, viaCookie }
}

/** The credentials that a request presents. */
type Credentials =
  | { readonly kind: 'key'; readonly text: string }
  | { readonly kind: 'session'; readonly token: string; readonly viaCookie: boolean }

/** The ways in which a session is transported. */
export interface SessionCarrier {
  /** The key of `ensureSessionKey`. */
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

/** A value and for how many more milliseconds it may be used; Infinity: as long as the memory keeps anything. */
interface Remembered<V> {
  readonly value: V
  readonly livesMs: number
}

/** Caches for a moment what was just looked up. Callers that ask at the same time share one look-up. */
interface ShortMemory<V> {
  get(key: string, load: () => Promise<Remembered<V> | null>): Promise<V | null>
  /** Discards everything, including look-ups under way. */
  forget(): void
}

const MOST = 10_000

/**
 * Returns a cache that keeps values for at most `keepMs`, counted from before the look-up began, so that a revoked
 * value is not used for longer than that. A value that was not found is not cached: guesses would fill the cache.
 */
export function createShortMemory<V extends {}>(keepMs: number): ShortMemory<V> {
  const known = new LRUCache<string, V>({ max: MOST, ttl: keepMs, ttlResolution: 0 })
  const asked = new Map<string, Promise<V | null>>()
  let age = 0
  return {
    get(key, load) {
      const value = known.get(key)
      if (value !== undefined) return Promise.resolve(value)
      const running = asked.get(key)
      if (running) return running
      const started = lookUp(key, load).finally(() => {
        if (asked.get(key) === started) asked.delete(key)
      })
      asked.set(key, started)
      return started
    },
    forget() {
      age += 1
      known.clear()
      asked.clear()
    },
  }

  async function lookUp(key: string, load: () => Promise<Remembered<V> | null>): Promise<V | null> {
    const began = performance.now()
    const bornAt = age
    const found = await load()
    if (!found) return null
    const ttl = Math.min(keepMs, found.livesMs)
    if (age === bornAt && ttl > 0) known.set(key, found.value, { ttl, start: began })
    return found.value
  }
}
