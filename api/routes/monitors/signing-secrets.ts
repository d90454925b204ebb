import Type from 'typebox'
import { readSigningSecret, rotateSigningSecret } from '../../../monitors/signing-secret.ts'
import { Closed, Nullable, Whole } from '../../../schema/shape/shape.ts'
import { doneOf } from '../../http/outcome-error.ts'
import { ById, ok, route } from '../../http/route.ts'
import type { ServedKind } from './served-kind.ts'

/** A signing secret: 64 hex digits without prefix. */
const SigningSecret = Type.String({ pattern: '^[0-9a-f]{64}$' })

/** Returns the routes that read and rotate the signing secret of a monitor of one kind. */
export const signingSecretRoutes = ({ path, noun, tag, kind }: ServedKind) => [
  route({
    method: 'GET',
    path: `${path}/:id/signing-secret`,
    summary: `Read a ${noun}'s signing secret`,
    description: 'Null if the monitor has no webhook delivery.',
    tag,
    policy: 'secrets.read',
    params: ById,
    refusals: ['CONFLICT'],
    answers: { 200: { description: 'The secret.', schema: Closed({ secret: Nullable(SigningSecret) }) } },
    async handle({ params, principal: { teamId }, services }) {
      const { secret } = doneOf(await readSigningSecret(services, kind, { teamId, id: params.id }))
      return ok({ secret })
    },
  }),
  route({
    method: 'POST',
    path: `${path}/:id/signing-secret/rotate`,
    summary: `Replace a ${noun}'s signing secret`,
    description: 'Both secrets sign for grace_hours, the new one first.',
    tag,
    policy: 'secrets.rotate',
    params: ById,
    body: Closed({ grace_hours: Type.Optional(Whole(0, 168, { default: 0 })) }),
    bodyOptional: true,
    defaults: true,
    answers: { 200: { description: 'The new secret.', schema: Closed({ secret: SigningSecret }) } },
    beyond: true,
    async handle({ params, body, principal: { teamId }, actor, services }) {
      const rotation = { teamId, actor, id: params.id, graceHours: body.grace_hours ?? 0 }
      const { secret } = doneOf(await rotateSigningSecret(services, kind, rotation))
      return ok({ secret })
    },
  }),
]
