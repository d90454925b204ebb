import type { Invalid, NotFound } from '../core/outcome.ts'
import { MAX_API_KEYS, MAX_API_KEYS_ROTATED, type Scope } from '../schema/account/api-key.ts'
import { recordAudit } from '../store/accounts/audit.ts'
import {
  countApiKeys,
  insertApiKey,
  type IssuedApiKey,
  replaceApiKey,
  revokeApiKey,
} from '../store/accounts/credentials/api-keys.ts'
import type { AccountContext } from './context.ts'
import { beginTeamAct, type NotAllowed, type UserRequester } from './team-act.ts'

/** A request to create a key. */
interface KeyCreation extends UserRequester {
  readonly name: string
  readonly scopes: readonly Scope[]
  /** ISO 8601; null: the key does not expire. */
  readonly expiresAt: string | null
}

/** A request to replace a key by a new one. */
interface KeyRotation extends UserRequester {
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

/** The team has as many keys that work as it may have. */
export interface ManyKeys {
  readonly kind: 'many_keys'
  readonly limit: number
}

const NO_KEY: NotFound = { kind: 'not_found', what: 'api_key' }
const EXPIRED: Invalid = { kind: 'invalid', issues: [{ path: 'expires_at', message: 'must be in the future' }] }

/** Creates a key for a team. */
export async function createApiKey(
  { store }: AccountContext,
  { name, scopes, expiresAt, ...requester }: KeyCreation,
): Promise<KeyIssued | ManyKeys | Invalid | NotAllowed> {
  const { teamId, actor, userId } = requester
  return store.transaction(async (tx): Promise<KeyIssued | ManyKeys | Invalid | NotAllowed> => {
    const refused = await beginTeamAct(tx, requester, 'keys')
    if (refused) return refused
    if ((await countApiKeys(tx, teamId)) >= MAX_API_KEYS) return { kind: 'many_keys', limit: MAX_API_KEYS }
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
  { id, graceHours, ...requester }: KeyRotation,
): Promise<KeyIssued | KeyReplaced | ManyKeys | NotFound | NotAllowed> {
  const { teamId, actor, userId } = requester
  return store.transaction(async (tx): Promise<KeyIssued | KeyReplaced | ManyKeys | NotFound | NotAllowed> => {
    const refused = await beginTeamAct(tx, requester, 'keys')
    if (refused) return refused
    if ((await countApiKeys(tx, teamId)) >= MAX_API_KEYS_ROTATED)
      return { kind: 'many_keys', limit: MAX_API_KEYS_ROTATED }
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
  { id, ...requester }: UserRequester & { readonly id: string },
): Promise<{ readonly kind: 'done' } | NotFound | NotAllowed> {
  const { teamId, actor } = requester
  return store.transaction(async (tx): Promise<{ readonly kind: 'done' } | NotFound | NotAllowed> => {
    const refused = await beginTeamAct(tx, requester, 'keys')
    if (refused) return refused
    const key = await revokeApiKey(tx, teamId, id)
    if (!key) return NO_KEY
    await recordAudit(tx, { teamId, actor, action: 'api_key.deleted', target: { id, label: key.prefix } })
    return { kind: 'done' }
  })
}
