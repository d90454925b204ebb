import { sql } from 'slonik'
import Type from 'typebox'
import { newSigningSecret } from '../../core/signature.ts'
import type { DeliveryConfig } from '../../schema/monitor/delivery-config.ts'
import type { MonitorKind } from '../../schema/resource-kind.ts'
import type { Queryable, Transaction } from '../db/client.ts'
import { bytes, nothing, row } from '../db/row.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { isMonitor } from './is-monitor.ts'

/** Returns whether a configuration has a webhook: only webhooks are signed. */
const hasWebhook = (spec: { readonly deliveries: readonly DeliveryConfig[] }): boolean =>
  spec.deliveries.some(({ type }) => type === 'webhook')

/** Returns the sealed secret that a monitor gets with its first webhook delivery; null when it has no webhook. */
export function firstSecret(
  { teamId, id }: Sealing,
  spec: { readonly deliveries: readonly DeliveryConfig[] },
  secrets: SecretBox,
): Buffer | null {
  return hasWebhook(spec) ? sealSecret({ teamId, id }, newSigningSecret(), secrets) : null
}

/** The monitor whose values are encrypted. */
interface Sealing {
  readonly teamId: string
  readonly id: string
}

const sealSecret = ({ teamId, id }: Sealing, secret: string, secrets: SecretBox) =>
  secrets.seal({ teamId, column: 'monitors.signing_secret', rowId: id }, secret)

/** The stored facts about a monitor's signature. */
interface SigningFacts {
  readonly no: number
  readonly name: string
  readonly hasWebhook: boolean
  /** 64 hex digits. The secret is kept when the webhooks are removed. */
  readonly secret: string | null
}

const Bytes = Type.Unsafe<Uint8Array | null>({})
const stored = row({ no: Type.Integer(), name: Type.String(), deliveries: Bytes, signing_secret: Bytes })

/** Returns the signing secret of a monitor of the team; null when there is no such monitor. */
export async function findSigningFacts(
  store: Queryable,
  secrets: SecretBox,
  { teamId, id, kind }: Sealing & { readonly kind: MonitorKind },
): Promise<SigningFacts | null> {
  const found = await store.maybeOne(sql.type(stored)`
    select m.no, m.name, m.deliveries, m.signing_secret from monitors m where ${isMonitor(teamId, id, kind)}
  `)
  if (!found) return null
  const { no, name, deliveries, signing_secret: secret } = found
  return {
    no,
    name,
    hasWebhook:
      deliveries !== null &&
      hasWebhook({
        deliveries: secrets.open({ teamId, column: 'monitors.deliveries', rowId: id }, deliveries) as DeliveryConfig[],
      }),
    secret:
      secret === null
        ? null
        : (secrets.open({ teamId, column: 'monitors.signing_secret', rowId: id }, secret) as string),
  }
}

const current = row({ signing_secret: Bytes })

/**
 * Gives a monitor a new secret. For `graceHours`, webhooks are signed with the previous one too. Returns the new one.
 */
export async function replaceSigningSecret(
  tx: Transaction,
  secrets: SecretBox,
  { teamId, id, graceHours }: Sealing & { readonly graceHours: number },
): Promise<string> {
  const before = await tx.oneFirst(sql.type(current)`
    select signing_secret from monitors where id = ${id}::uuid and team_id = ${teamId}::uuid for update
  `)
  const secret = newSigningSecret()
  const kept = before !== null && graceHours > 0 ? sealedAsOld({ teamId, id }, before, secrets) : null
  await tx.query(sql.type(nothing)`
    update monitors
    set signing_secret = ${sql.binary(sealSecret({ teamId, id }, secret, secrets))},
      old_signing_secret = ${bytes(kept)},
      old_secret_until = case when ${kept !== null} then clock() + make_interval(hours => ${graceHours}::int) end
    where id = ${id}::uuid and team_id = ${teamId}::uuid
  `)
  return secret
}

/** A sealed value opens in its own column only. */
const sealedAsOld = ({ teamId, id }: Sealing, secret: Uint8Array, secrets: SecretBox): Buffer =>
  secrets.seal(
    { teamId, column: 'monitors.old_signing_secret', rowId: id },
    secrets.open({ teamId, column: 'monitors.signing_secret', rowId: id }, secret),
  )
