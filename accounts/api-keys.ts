import type { Invalid, NotFound } from '../core/outcome.ts'
import type { Scope } from '../schema/account/api-key.ts'
import type { Requester } from '../schema/account/audit.ts'
import { insertApiKey, type IssuedApiKey, replaceApiKey, revokeApiKey } from '../store/accounts/api-keys.ts'
import { recordAudit } from '../store/accounts/audit.ts'
import type { AccountContext } from './context.ts'

/** A request to create a key. */
interface KeyCreation extends Requester {
  /** The account that the key is recorded under. */
  readonly userId: string
  readonly name: string
  readonly scopes: readonly Scope[]
  /** ISO 8601; null: the key does not expire. */
  readonly expiresAt: string | null
}

/** A request to replace a key by a new one. */
interface KeyRotation extends Requester {
  readonly userId: string
  readonly id: string
  /** How long the old key continues to work, at most until its own expiry; 0: not at all. */
  readonly graceHours: number
}

/** The new key. Its text can be read only here. */
interface KeyIssued {
  readonly kind: 'done'
  readonly issued: IssuedApiKey
}

/** The key has been replaced already, and works until its grace period ends. */
export interface KeyReplaced {
  readonly kind: 'replaced'
}

const NO_KEY: NotFound = { kind: 'not_found', what: 'api_key' }
const EXPIRED: Invalid = { kind: 'invalid', issues: [{ path: 'expires_at', message: 'must be in the future' }] }

/** Creates a key for a team. */
export async function createApiKey(
  { store }: AccountContext,
  { teamId, actor, userId, name, scopes, expiresAt }: KeyCreation,
): Promise<KeyIssued | Invalid> {
  return store.transaction(async (tx): Promise<KeyIssued | Invalid> => {
    const issued = await insertApiKey(tx, { teamId, userId, name, scopes, expiresAt })
    if (!issued) return EXPIRED
    const target = { id: issued.id, label: issued.prefix }
    const metadata = { name, scopes: [...scopes], expires_at: issued.expiresAt }
    await recordAudit(tx, { teamId, actor, action: 'api_key.created', target, metadata })
    return { kind: 'done', issued }
  })
}

/** Replaces a key by a new one with the same name, scopes and expiry. A key can be replaced only once. */
export async function rotateApiKey(
  { store }: AccountContext,
  { teamId, actor, userId, id, graceHours }: KeyRotation,
): Promise<KeyIssued | KeyReplaced | NotFound> {
  return store.transaction(async (tx): Promise<KeyIssued | KeyReplaced | NotFound> => {
    const rotated = await replaceApiKey(tx, { teamId, keyId: id, userId, graceHours })
    if (rotated.kind !== 'rotated') return rotated.kind === 'replaced' ? { kind: 'replaced' } : NO_KEY
    const { issued, oldPrefix } = rotated
    const target = { id, label: oldPrefix }
    const metadata = { new_key_id: issued.id, new_key_prefix: issued.prefix, grace_period_hours: graceHours }
    await recordAudit(tx, { teamId, actor, action: 'api_key.rotated', target, metadata })
    return { kind: 'done', issued }
  })
}

/** Revokes a key at once. */
export async function deleteApiKey(
  { store }: AccountContext,
  { teamId, actor, id }: Requester & { readonly id: string },
): Promise<{ readonly kind: 'done' } | NotFound> {
  return store.transaction(async (tx): Promise<{ readonly kind: 'done' } | NotFound> => {
    const key = await revokeApiKey(tx, teamId, id)
    if (!key) return NO_KEY
    await recordAudit(tx, { teamId, actor, action: 'api_key.deleted', target: { id, label: key.prefix } })
    return { kind: 'done' }
  })
}
