import { newSigningSecret } from '../core/signature.ts'
import type { Queryable } from '../store/db/client.ts'
import type { SealedTarget } from '../store/deliveries/sealed-target.ts'
import type { StoredDelivery } from '../store/deliveries/stored-delivery.ts'
import type { SecretBox } from '../store/secrets/secret-box.ts'
import type { Channels, Prepared } from './channels/channel.ts'
import { onChannel } from './channels/on-channel.ts'
import { digestOf } from './digest-of.ts'
import type { Links } from './messages/links.ts'

/**
 * Returns an attempt to send a stored delivery, to look at. It must not be sent: a random secret signs it, because a
 * look does not need that of the monitor.
 */
export async function prepareStored(
  ports: { readonly channels: Channels; readonly secrets: SecretBox; readonly store: Queryable; readonly links: Links },
  { id, team_id: teamId, target, payload, digest_of: leader, is_digest: isDigest }: StoredDelivery,
): Promise<Prepared> {
  const { channels, secrets } = ports
  const place = { teamId, column: 'deliveries.target', rowId: id } as const
  const config = secrets.open(place, target) as SealedTarget
  const digest = isDigest ? await digestOf(ports, { id, team_id: teamId }) : null
  const secret = newSigningSecret()
  const message = {
    id: leader ?? id,
    team: teamId,
    payload,
    secrets: [secret],
    named: config.named,
    ...(digest && { digest }),
  }
  return onChannel(channels, config, (channel, own) => channel.prepare({ ...message, config: own }))
}
