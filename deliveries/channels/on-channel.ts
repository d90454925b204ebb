import type { DeliveryConfig, DeliveryType } from '../../schema/monitor/delivery-config.ts'
import type { Channel, Channels, Message } from './channel.ts'

/** Calls `act` with the channel of a destination, and with the destination as that channel takes it. */
export function onChannel<R>(
  channels: Channels,
  config: DeliveryConfig,
  act: <T extends DeliveryType>(channel: Channel<T>, config: Message<T>['config']) => R,
): R {
  switch (config.type) {
    case 'webhook':
      return act(channels.webhook, config)
    case 'slack':
      return act(channels.slack, config)
    case 'discord':
      return act(channels.discord, config)
    case 'email':
      return act(channels.email, config)
  }
}
