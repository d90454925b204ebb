import { newSigningSecret } from '../core/signature.ts'
import type { SealedTarget } from '../store/deliveries/sealed-target.ts'
import type { StoredDelivery } from '../store/deliveries/stored-delivery.ts'
import type { SecretBox } from '../store/secrets/secret-box.ts'
import type { Channels, Prepared } from './channels/channel.ts'
import { onChannel } from './channels/on-channel.ts'

/**
 * Returns an attempt to send a stored delivery, to look at. It must not be sent: a random secret signs it, because a
 * look does not need that of the monitor.
 */
export function prepareStored(
  { channels, secrets }: { readonly channels: Channels; readonly secrets: SecretBox },
  { id, team_id: teamId, target, payload }: Pick<StoredDelivery, 'id' | 'team_id' | 'target' | 'payload'>,
): Promise<Prepared> {
  const place = { teamId, column: 'deliveries.target', rowId: id } as const
  const config = secrets.open(place, target) as SealedTarget
  const message = { id, team: teamId, payload, secrets: [newSigningSecret()], named: config.named }
  return onChannel(channels, config, (channel, own) => channel.prepare({ ...message, config: own }))
}
