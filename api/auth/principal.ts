import type { Scope } from '../../schema/account/api-key.ts'
import type { Actor } from '../../schema/account/audit.ts'
import type { Role } from '../../schema/account/role.ts'

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

/** Returns the principal as the audit log names it. */
export const actorOf = (principal: Principal, ip: string | null): Actor =>
  principal.kind === 'key'
    ? { type: 'api_key', id: principal.keyId, label: principal.name, ip }
    : { type: 'user', id: principal.userId, label: principal.email, ip }
