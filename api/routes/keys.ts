import Type from 'typebox'
import { ApiKey, ApiKeyCreate, ApiKeyIssued, ApiKeyRotate } from '../../schema/account/api-key.ts'
import { Closed, Uuid } from '../../schema/shape/shape.ts'
import {
  createApiKey,
  deleteApiKey,
  type IssuedApiKey,
  listApiKeys,
  rotateApiKey,
} from '../../store/accounts/api-keys.ts'
import { recordAudit } from '../../store/accounts/audit.ts'
import { apiError } from '../http/api-error.ts'
import { created, noContent, ok, type Route, route } from '../http/route.ts'

const tag = 'API keys'
const params = Closed({ id: Uuid() })

/** The API keys of a team. */
export const keyRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/keys',
    summary: 'List the keys that work',
    tag,
    policy: 'keys.read',
    answers: { 200: { description: 'The keys, newest first.', schema: Closed({ data: Type.Array(ApiKey) }) } },
    handle: async ({ principal, services }) => ok({ data: await listApiKeys(services.store, principal.teamId) }),
  }),

  route({
    method: 'POST',
    path: '/v1/keys',
    summary: 'Create a key',
    tag,
    policy: 'keys.manage',
    body: ApiKeyCreate,
    defaults: true,
    answers: { 201: { description: 'The key; its full value is shown this once.', schema: ApiKeyIssued } },
    handle: async ({ principal, actor, body, services }) => {
      const { name, scopes = ['read'], expires_at: expiresAt = null } = body
      const { teamId, userId } = principal
      const issued = await services.store.transaction(async (tx) => {
        const key = await createApiKey(tx, { teamId, userId, name, scopes, expiresAt })
        if (!key) return null
        const metadata = { name, scopes: [...scopes], expires_at: key.expiresAt }
        await recordAudit(tx, {
          teamId,
          actor,
          action: 'api_key.created',
          target: { id: key.id, label: key.prefix },
          metadata,
        })
        return key
      })
      if (!issued) throw notInFuture()
      return created(issuedBody(issued))
    },
  }),

  route({
    method: 'POST',
    path: '/v1/keys/:id/rotate',
    summary: 'Replace a key by a new one',
    description:
      'The new key has the name, the scopes and the expiry of the old one, which goes on working for the hours of ' +
      'grace. A key that has been replaced already is 409 `CONFLICT`.',
    tag,
    policy: 'keys.manage',
    params,
    body: ApiKeyRotate,
    answers: { 201: { description: 'The new key; its full value is shown this once.', schema: ApiKeyIssued } },
    handle: async ({ principal, actor, params: { id }, body, services }) => {
      const { teamId, userId } = principal
      const graceHours = body.grace_period_hours
      const outcome = await services.store.transaction(async (tx) => {
        const rotated = await rotateApiKey(tx, { teamId, keyId: id, userId, graceHours })
        if (rotated.kind !== 'rotated') return rotated
        const { issued: key, oldPrefix } = rotated
        const metadata = { new_key_id: key.id, new_key_prefix: key.prefix, grace_period_hours: graceHours }
        await recordAudit(tx, {
          teamId,
          actor,
          action: 'api_key.rotated',
          target: { id, label: oldPrefix },
          metadata,
        })
        return rotated
      })
      if (outcome.kind !== 'rotated') throw outcome.kind === 'replaced' ? isReplaced() : noSuchKey()
      services.principals.forgetKeys()
      return created(issuedBody(outcome.issued))
    },
  }),

  route({
    method: 'DELETE',
    path: '/v1/keys/:id',
    summary: 'End a key',
    tag,
    policy: 'keys.manage',
    params,
    answers: { 204: { description: 'The key has stopped working.' } },
    handle: async ({ principal, actor, params: { id }, services }) => {
      const { teamId } = principal
      const deleted = await services.store.transaction(async (tx) => {
        const key = await deleteApiKey(tx, teamId, id)
        if (key) await recordAudit(tx, { teamId, actor, action: 'api_key.deleted', target: { id, label: key.prefix } })
        return key
      })
      if (!deleted) throw noSuchKey()
      services.principals.forgetKeys()
      return noContent()
    },
  }),
]

const issuedBody = ({ key, id, name, scopes, expiresAt }: IssuedApiKey) => ({
  key,
  apiKey: { id, name, scopes, expires_at: expiresAt },
})

const noSuchKey = () => apiError('NOT_FOUND', 'There is no such API key.')
const isReplaced = () =>
  apiError(
    'CONFLICT',
    'This key has been replaced already and works until its grace ends. Rotate the key that replaced it.',
  )
const notInFuture = () =>
  apiError('VALIDATION_ERROR', 'The body is not valid: expires_at must be in the future.', [
    { path: 'expires_at', message: 'must be in the future' },
  ])
