import type { NotFound } from '../core/outcome.ts'
import { recordAudit } from '../store/accounts/audit.ts'
import { findSigningFacts, replaceSigningSecret } from '../store/monitors/signing-secret.ts'
import { auditedAs, type MonitorContext, type OneMonitor } from './context.ts'
import type { Kind } from './kinds/kind.ts'
import { NO_MONITOR } from './outcome.ts'

type SecretContext = Pick<MonitorContext, 'store' | 'secrets'>

/** 64 hex digits; null: the monitor has no webhook, so it signs nothing. */
interface ReadSecret {
  readonly kind: 'done'
  readonly secret: string | null
}

/** The new secret. */
interface RotatedSecret {
  readonly kind: 'done'
  readonly secret: string
}

/** The monitor signs nothing. */
export interface NoWebhook {
  readonly kind: 'no_webhook'
}

interface SecretRotation extends OneMonitor {
  /** How long the old secret signs too; 0: not at all. */
  readonly graceHours: number
}

/** Returns the secret that signs a monitor's webhooks. */
export async function readSigningSecret(
  { store, secrets }: SecretContext,
  kind: Kind,
  { teamId, id }: Pick<OneMonitor, 'teamId' | 'id'>,
): Promise<ReadSecret | NotFound> {
  const facts = await findSigningFacts(store, secrets, { teamId, id, kind: kind.table.kind })
  if (!facts) return NO_MONITOR
  return { kind: 'done', secret: facts.hasWebhook ? facts.secret : null }
}

/** Replaces the secret that signs a monitor's webhooks. */
export async function rotateSigningSecret(
  { store, secrets }: SecretContext,
  kind: Kind,
  { teamId, actor, id, graceHours }: SecretRotation,
): Promise<RotatedSecret | NotFound | NoWebhook> {
  return store.transaction(async (tx): Promise<RotatedSecret | NotFound | NoWebhook> => {
    const facts = await findSigningFacts(tx, secrets, { teamId, id, kind: kind.table.kind })
    if (!facts) return NO_MONITOR
    if (!facts.hasWebhook) return { kind: 'no_webhook' }
    const secret = await replaceSigningSecret(tx, secrets, { teamId, id, graceHours })
    const metadata = { grace_hours: graceHours }
    await recordAudit(tx, {
      teamId,
      actor,
      action: auditedAs(kind, 'secret_rotated'),
      target: { id, label: facts.name },
      metadata,
    })
    return { kind: 'done', secret }
  })
}
