import Type from 'typebox'
import { sql } from 'slonik'
import { newSigningSecret } from '../../core/signature.ts'
import type { DeliveryConfig } from '../../schema/monitor/delivery-config.ts'
import type { Queryable, Transaction } from '../db/client.ts'
import { nothing, row } from '../db/row.ts'
import type { SecretBox } from '../secrets/secret-box.ts'

/** Returns whether a configuration has a webhook: only webhooks are signed. */
const hasWebhook = (spec: { readonly deliveries: readonly DeliveryConfig[] }): boolean =>
  spec.deliveries.some(({ type }) => type === 'webhook')

/** Returns the sealed secret that a monitor gets with its first webhook delivery; null when it has no webhook. */
export function firstSecret(
  teamId: string,
  spec: { readonly deliveries: readonly DeliveryConfig[] },
  secrets: SecretBox,
): Buffer | null {
  return hasWebhook(spec) ? sealSecret(teamId, newSigningSecret(), secrets) : null
}

const sealSecret = (teamId: string, secret: string, secrets: SecretBox) =>
  secrets.seal({ teamId, column: 'monitors.signing_secret' }, secret)

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
  { teamId, id }: { readonly teamId: string; readonly id: string },
): Promise<SigningFacts | null> {
  const found = await store.maybeOne(sql.type(stored)`
    select no, name, deliveries, signing_secret from monitors
    where id = ${id}::uuid and team_id = ${teamId}::uuid and kind = 'page' and deleted_at is null
  `)
  if (!found) return null
  const { no, name, deliveries, signing_secret: secret } = found
  return {
    no,
    name,
    hasWebhook:
      deliveries !== null &&
      hasWebhook({
        deliveries: secrets.open({ teamId, column: 'monitors.deliveries' }, deliveries) as DeliveryConfig[],
      }),
    secret: secret === null ? null : (secrets.open({ teamId, column: 'monitors.signing_secret' }, secret) as string),
  }
}

/**
 * Gives a monitor a new secret. For `graceHours`, webhooks are signed with the previous one too. Returns the new one.
 */
export async function replaceSigningSecret(
  tx: Transaction,
  secrets: SecretBox,
  { teamId, no, graceHours }: { readonly teamId: string; readonly no: number; readonly graceHours: number },
): Promise<string> {
  const secret = newSigningSecret()
  const graced = sql.fragment`${graceHours}::int > 0 and signing_secret is not null`
  await tx.query(sql.type(nothing)`
    update monitors
    set signing_secret = ${sql.binary(sealSecret(teamId, secret, secrets))},
      old_signing_secret = case when ${graced} then signing_secret end,
      old_secret_until = case when ${graced} then clock() + make_interval(hours => ${graceHours}::int) end
    where no = ${no} and team_id = ${teamId}::uuid
  `)
  return secret
}
