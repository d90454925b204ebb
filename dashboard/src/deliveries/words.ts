import { type Delivery, SERVICE_LABELS } from '../api/types.ts'

const STATES = {
  pending: ['waits to be sent', 'soft'],
  success: ['delivered', 'good'],
  failed: ['failed', 'bad'],
  dead: ['given up', 'bad'],
} as const

/** Why it waits for a later hour. */
const HELD = {
  muted: ['waits for the end of the mute', 'soft'],
  digest: ['waits for its digest', 'soft'],
  quiet_hours: ['waits for the end of quiet hours', 'soft'],
} as const

type Stated = Pick<Delivery, 'held' | 'status' | 'next_attempt_at' | 'destination_removed'>

/** Returns how a delivery stands, in words, and the tone of these. */
export function stateOf(delivery: Stated): readonly [string, 'soft' | 'good' | 'bad'] {
  const { held, status, next_attempt_at: next } = delivery
  if (held !== undefined) return HELD[held]
  if (status === 'failed' && next !== null) return ['failed, is tried again', 'bad']
  const [word, look] = status === 'failed' ? (['refused', 'bad'] as const) : STATES[status]
  return isUnmissed(delivery) ? [word, 'soft'] : [word, look]
}

/** Whether it was given up, and its monitor does not have the destination any more: nobody has to mend that. */
export const isUnmissed = ({ status, next_attempt_at: next, destination_removed: isRemoved }: Stated): boolean =>
  isRemoved === true && next === null && (status === 'failed' || status === 'dead')

const TYPES = { webhook: 'Webhook', slack: 'Slack', discord: 'Discord', email: 'Mail' } as const

/** Returns the name of what a delivery is sent by. */
export const channelOf = ({ delivery_type: type, service }: Pick<Delivery, 'delivery_type' | 'service'>): string =>
  service === undefined ? TYPES[type] : SERVICE_LABELS[service]

/** The API counts services as webhooks. */
const ANY_WEBHOOK = 'Webhook or service'

/** What deliveries can be sent by, as the filters `type` and `service` in one. */
export const CHANNELS: readonly (readonly [value: string, word: string])[] = [
  ...Object.entries(TYPES).map(([type, word]) => [`type=${type}`, type === 'webhook' ? ANY_WEBHOOK : word] as const),
  ...Object.entries(SERVICE_LABELS).map(([service, word]) => [`service=${service}`, word] as const),
]

/** Returns why a delivery cannot be sent again. Null: it can. */
export const whyNotAgain = ({ status }: Pick<Delivery, 'status'>): string | null => {
  if (status === 'success') return 'It was delivered.'
  return status === 'pending' ? 'It waits to be sent.' : null
}
