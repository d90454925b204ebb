import Type from 'typebox'
import { readSigningSecret } from '../../../monitors/signing-secret.ts'
import { Closed, Nullable } from '../../../schema/shape/shape.ts'
import { doneOf } from '../../http/outcome-error.ts'
import { ok, route } from '../../http/route.ts'
import { ById } from '../by-id.ts'

/** A signing secret: 64 hex digits without prefix. */

export const SigningSecret = Type.String({ pattern: '^[0-9a-f]{64}$' })

export const readSigningSecretRoute = route({
  method: 'GET',
  path: '/v1/monitors/:id/signing-secret',
  summary: "Read a monitor's signing secret",
  description: 'null when the monitor has no webhook delivery. Takes the role member or a key with the scope write.',
  tag: 'Monitors',
  policy: 'secrets.read',
  params: ById,
  refusals: ['CONFLICT'],
  answers: { 200: { description: 'The secret.', schema: Closed({ secret: Nullable(SigningSecret) }) } },
  async handle({ params, principal: { teamId }, services }) {
    const { secret } = doneOf(await readSigningSecret(services, { teamId, id: params.id }))
    return ok({ secret })
  },
})
