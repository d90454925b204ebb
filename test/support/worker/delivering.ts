import { createChannels } from '../../../deliveries/channels/channels.ts'
import { createDeliveryLoop } from '../../../deliveries/loop/delivery-loop.ts'
import { createGuardedAgent } from '../../../egress/guarded-agent.ts'
import { createPolicy } from '../../../egress/policy.ts'
import type { Store } from '../../../store/db/client.ts'
import type { SecretBox } from '../../../store/secrets/secret-box.ts'
import { NO_METRICS } from './no-delivery-metrics.ts'

interface Delivering {
  readonly store: Store
  readonly secrets: SecretBox
  readonly log: Parameters<typeof createDeliveryLoop>[0]['log']
}

/** Starts the delivery loop of a process, with its own limits and times. Returns what ends it. */
export function startDelivering({ store, secrets, log }: Delivering): () => Promise<void> {
  const agent = createGuardedAgent(createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] }))
  const dashboardUrl = 'http://127.0.0.1:8080'
  const loop = createDeliveryLoop({
    store,
    secrets,
    channels: createChannels({ agent, mailer: null, dashboardUrl }),
    links: { dashboardUrl },
    log,
    metrics: NO_METRICS,
    leaseSeconds: 60,
    perHost: 5,
    idleMs: 50,
  })
  loop.start()
  return async () => {
    await loop.drain(250)
    await agent.destroy()
  }
}
