import type { Registry } from 'prom-client'
import { type Health, MOVING_MS } from '../../core/health.ts'
import type { Logger } from '../../core/logger.ts'
import type { Store } from '../../store/db/client.ts'
import { storeState } from '../../store/db/store-state.ts'

/**
 * Returns the health of a process: its store, its scheduler where it has one, and whether operators have a leader,
 * where it is one of them. From the stop signal on the process
 * is not ready, so that balancers send no more requests. Requests that still arrive are served.
 */
export function createHealth({
  store,
  registry,
  log,
  sinceProgress,
  isLed,
  stopping,
}: {
  store: Store
  registry: Registry
  log: Logger
  sinceProgress: (() => number) | null
  isLed?: () => boolean
  stopping: AbortSignal
}): Health {
  return {
    async ready() {
      if (stopping.aborted) return { ok: false, checks: { process: 'stopping' } }
      const [reachable, moving] = [
        await storeState(store, log),
        sinceProgress === null ? null : sinceProgress() < MOVING_MS,
      ]
      const led = isLed?.()
      const checks = {
        store: reachable,
        ...(moving !== null && { scheduler: moving ? 'moving' : 'stuck' }),
        ...(led !== undefined && { leader: led ? 'there' : 'waiting for the lease of one that is gone' }),
      }
      return { ok: reachable === 'migrated' && moving !== false && led !== false, checks }
    },
    metrics: () => registry.metrics(),
  }
}
