import type { Dispatcher } from 'undici'
import type { DeliveryType } from '../schema/delivery-config.ts'
import type { Channel, Channels } from './channel.ts'
import { createWebhookChannel } from './webhook.ts'

/** What the channels of this installation are made from. */
export interface ChannelOptions {
  /** A guarded agent (`runners/guard/guarded-agent.ts`), not shared with checks. */
  readonly agent: Dispatcher
}

/** The channels of this version, one for each type that a monitor can name. */
export function createChannels({ agent }: ChannelOptions): Channels {
  return {
    webhook: createWebhookChannel({ agent }),
    slack: notYet('slack'),
    discord: notYet('discord'),
    email: notYet('email'),
  }
}

/**
 * A type that a monitor may name already and that this version cannot send. Its deliveries are kept and end as `failed` with this
 * explanation, so that they can be replayed once it can.
 */
function notYet<T extends DeliveryType>(type: T): Channel<T> {
  const message = `Deliveries of type ${type} are not available in this version of Tidemark. Use a webhook; after an upgrade this delivery can be replayed.`
  return { send: () => Promise.resolve({ kind: 'impossible', message }) }
}
