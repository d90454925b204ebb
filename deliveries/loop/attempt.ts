import type { DeliveryConfig } from '../../schema/monitor/delivery-config.ts'
import type { ClaimedDelivery } from '../../store/deliveries/claim-deliveries.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import type { AttemptOutcome, Channels, SendContext } from '../channels/channel.ts'

/** What an attempt needs besides the delivery. */
interface AttemptPorts {
  readonly secrets: SecretBox
  readonly channels: Channels
}

/**
 * Opens the sealed destination and sends on the channel of its type. Never rejects: an error is logged, and the
 * delivery is retried by the schedule.
 */
export async function attempt(
  claimed: ClaimedDelivery,
  ports: AttemptPorts,
  ctx: SendContext,
): Promise<AttemptOutcome> {
  let config: DeliveryConfig
  let secrets: string[]
  try {
    config = ports.secrets.open(
      { teamId: claimed.team_id, column: 'deliveries.target' },
      claimed.target,
    ) as DeliveryConfig
    secrets = signingSecrets(claimed, ports.secrets)
  } catch (err) {
    ctx.log.error(
      { err, delivery_id: claimed.id },
      'the destination or the signing secret of a delivery cannot be opened',
    )
    return { kind: 'no_answer', message: SEALED }
  }
  try {
    return await sendOn(ports.channels, { id: claimed.id, payload: claimed.payload, secrets, config }, ctx)
  } catch (err) {
    ctx.log.error({ err, delivery_id: claimed.id }, 'a delivery channel threw')
    return { kind: 'no_answer', message: THREW }
  }
}

const SEALED =
  'The destination or the signing secret cannot be read: the encryption key of this installation is not the one ' +
  'they were stored with.'
const THREW = 'The attempt failed through an internal error. The log has the details under the id of the delivery.'

function signingSecrets(claimed: ClaimedDelivery, box: SecretBox): string[] {
  const place = { teamId: claimed.team_id, column: 'monitors.signing_secret' } as const
  return [claimed.signing_secret, claimed.old_signing_secret]
    .filter((sealed) => sealed !== null)
    .map((sealed) => box.open(place, sealed) as string)
}

interface AnyMessage {
  readonly id: string
  readonly config: DeliveryConfig
  readonly payload: string
  readonly secrets: readonly string[]
}

function sendOn(channels: Channels, message: AnyMessage, ctx: SendContext): Promise<AttemptOutcome> {
  const { config } = message
  switch (config.type) {
    case 'webhook':
      return channels.webhook.send({ ...message, config }, ctx)
    case 'slack':
      return channels.slack.send({ ...message, config }, ctx)
    case 'discord':
      return channels.discord.send({ ...message, config }, ctx)
    case 'email':
      return channels.email.send({ ...message, config }, ctx)
  }
}
