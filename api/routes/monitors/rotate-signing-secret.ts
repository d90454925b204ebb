import Type from 'typebox'
import { Closed, Whole } from '../../../schema/shape/shape.ts'
import { recordAudit } from '../../../store/accounts/audit.ts'
import { readSigningSecret, replaceSigningSecret } from '../../../store/monitors/signing-secret.ts'
import { apiError } from '../../http/api-error.ts'
import { ok, route } from '../../http/route.ts'
import { ById } from '../by-id.ts'
import { noSuchMonitor } from './monitor-faults.ts'
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
  async handle({ params, body, principal: { teamId }, actor, services: { store, secrets } }) {
    const graceHours = body.grace_hours ?? 0
    const secret = await store.transaction(async (tx) => {
      const facts = await readSigningSecret(tx, secrets, { teamId, id: params.id })
      if (!facts) throw noSuchMonitor()
      if (!facts.hasWebhook)
        throw apiError('CONFLICT', 'The monitor has no webhook delivery, so it signs nothing: add one first.')
      const fresh = await replaceSigningSecret(tx, secrets, { teamId, no: facts.no, graceHours })
      const target = { id: params.id, label: facts.name }
      const metadata = { grace_hours: graceHours }
      await recordAudit(tx, { teamId, actor, action: 'monitor.secret_rotated', target, metadata })
      return fresh
    })
    return ok({ secret })
  },
})
