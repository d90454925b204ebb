import Type from 'typebox'
import { rotateSigningSecret } from '../../../monitors/signing-secret.ts'
import { Closed, Whole } from '../../../schema/shape/shape.ts'
import { doneOf } from '../../http/outcome-error.ts'
import { ok, route } from '../../http/route.ts'
import { ById } from '../by-id.ts'
import { SigningSecret } from './read-signing-secret.ts'

export const rotateSigningSecretRoute = route({
  method: 'POST',
  path: '/v1/monitors/:id/signing-secret/rotate',
  summary: "Replace a monitor's signing secret",
  description: 'For grace_hours both secrets sign, the new one first.',
  tag: 'Monitors',
  policy: 'secrets.rotate',
  params: ById,
  body: Closed({ grace_hours: Type.Optional(Whole(0, 168, { default: 0 })) }),
  bodyOptional: true,
  defaults: true,
  answers: { 200: { description: 'The new secret.', schema: Closed({ secret: SigningSecret }) } },
  beyond: true,
  async handle({ params, body, principal: { teamId }, actor, services }) {
    const rotation = { teamId, actor, id: params.id, graceHours: body.grace_hours ?? 0 }
    const { secret } = doneOf(await rotateSigningSecret(services, rotation))
    return ok({ secret })
  },
})
