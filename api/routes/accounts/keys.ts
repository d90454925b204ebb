import Type from 'typebox'
import { createApiKey, deleteApiKey, rotateApiKey } from '../../../accounts/api-keys.ts'
import { ApiKey, ApiKeyCreate, ApiKeyIssued, ApiKeyRotate } from '../../../schema/account/api-key.ts'
import { Closed } from '../../../schema/shape/shape.ts'
import { type IssuedApiKey, listApiKeys } from '../../../store/accounts/credentials/api-keys.ts'
import { doneOf } from '../../http/outcome-error.ts'
import { ById, created, noContent, ok, route } from '../../http/route.ts'

const tag = 'API keys'

export const listKeysRoute = route({
  method: 'GET',
  path: '/v1/keys',
  summary: 'List the active keys',
  tag,
  policy: 'keys.read',
  answers: { 200: { description: 'The keys, newest first.', schema: Closed({ data: Type.Array(ApiKey) }) } },
  handle: async ({ principal, services }) => ok({ data: await listApiKeys(services.store, principal.teamId) }),
})

export const createKeyRoute = route({
  method: 'POST',
  path: '/v1/keys',
  summary: 'Create a key',
  tag,
  policy: 'keys.manage',
  body: ApiKeyCreate,
  defaults: true,
  answers: { 201: { description: 'The key; its full value is returned only this once.', schema: ApiKeyIssued } },
  handle: async ({ principal: { teamId, userId }, actor, body, services }) => {
    const { name, scopes = ['read'], expires_at: expiresAt = null } = body
    const { issued } = doneOf(await createApiKey(services, { teamId, actor, userId, name, scopes, expiresAt }))
    return created(issuedBody(issued))
  },
})

export const rotateKeyRoute = route({
  method: 'POST',
  path: '/v1/keys/:id/rotate',
  summary: 'Replace a key with a new one',
  description:
    'The new key has the name, the scopes and the expiry of the old one. The old key continues to work for the ' +
    'grace period. If the key was replaced already, the response is 409 `CONFLICT`.',
  tag,
  policy: 'keys.manage',
  params: ById,
  body: ApiKeyRotate,
  answers: { 201: { description: 'The new key; its full value is returned only this once.', schema: ApiKeyIssued } },
  handle: async ({ principal: { teamId, userId }, actor, params: { id }, body, services }) => {
    const rotation = { teamId, actor, userId, id, graceHours: body.grace_period_hours }
    const { issued } = doneOf(await rotateApiKey(services, rotation))
    services.principals.forgetKeys()
    return created(issuedBody(issued))
  },
})

export const deleteKeyRoute = route({
  method: 'DELETE',
  path: '/v1/keys/:id',
  summary: 'Revoke a key',
  tag,
  policy: 'keys.manage',
  params: ById,
  answers: { 204: { description: 'The key is revoked.' } },
  handle: async ({ principal: { teamId, userId }, actor, params: { id }, services }) => {
    doneOf(await deleteApiKey(services, { teamId, userId, actor, id }))
    services.principals.forgetKeys()
    return noContent()
  },
})

const issuedBody = ({ key, id, name, scopes, expiresAt }: IssuedApiKey) => ({
  key,
  apiKey: { id, name, scopes, expires_at: expiresAt },
})
