import Type, { type Static } from 'typebox'
import { Choice, Closed, Instant, Nullable, Text, Uuid, Whole } from '../shape/shape.ts'

export const SCOPES = ['read', 'write'] as const
export type Scope = (typeof SCOPES)[number]

const Scopes = Type.Array(Choice(SCOPES), { minItems: 1, maxItems: 2, uniqueItems: true })

/** A team has at most so many keys that work. Lists of keys have no pages, so their length needs a bound. */
export const MAX_API_KEYS = 1_000

/** With so many, a rotation is refused too: until then it may exceed the bound by the keys in their grace period. */
export const MAX_API_KEYS_ROTATED = 2 * MAX_API_KEYS

/** The most characters of a key's name. */
export const MAX_API_KEY_NAME = 100

/** The most hours for which a replaced key still works. */
export const MAX_GRACE_HOURS = 168

/** Body of `POST /v1/keys`. */
export const ApiKeyCreate = Closed({
  name: Text(1, MAX_API_KEY_NAME),
  scopes: Type.Optional(Type.Array(Choice(SCOPES), { minItems: 1, maxItems: 2, uniqueItems: true, default: ['read'] })),
  expires_at: Type.Optional(Nullable(Instant('Must be in the future. Default: no expiry.'))),
})
export type ApiKeyCreate = Static<typeof ApiKeyCreate>

/** Body of `POST /v1/keys/{id}/rotate`: the hours for which the old key still works; 0 revokes it at once. */
export const ApiKeyRotate = Closed({ grace_period_hours: Whole(0, MAX_GRACE_HOURS) })

/** A key as lists show it. The hash never leaves the store. */
export const ApiKey = Closed({
  id: Uuid(),
  name: Text(1, 100),
  key_prefix: Type.String({ description: 'The first 8 characters of the key.' }),
  scopes: Scopes,
  expires_at: Nullable(Instant()),
  last_used_at: Nullable(Instant('Beyond the contract: exact to a minute.')),
  created_by: Uuid('Beyond the contract: the account that created the key.'),
  created_at: Instant('Beyond the contract.'),
  replaced: Type.Boolean({
    description: 'Beyond the contract: a newer key replaced it, and it works until its grace period ends.',
  }),
})
export type ApiKey = Static<typeof ApiKey>

/** Response of create and rotate. The complete key is shown only here. */
export const ApiKeyIssued = Closed({
  key: Type.String({ description: 'The complete key, shown only once.' }),
  apiKey: Closed({ id: Uuid(), name: Text(1, 100), scopes: Scopes, expires_at: Nullable(Instant()) }),
})
