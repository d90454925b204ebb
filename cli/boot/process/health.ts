import type { Registry } from 'prom-client'
import { type Health, MOVING_MS } from '../../../core/health.ts'
import type { Store } from '../../../store/db/client.ts'
import { storeState } from '../../../store/db/store-state.ts'

/**
 * Health of a process: its store, and its scheduler where it has one. From the signal to stop on it is not ready, so
 * that balancers send no more here, while what still comes is answered.
 */
export function createHealth({
  store,
  registry,
  sinceProgress,
  stopping,
}: {
  store: Store
  registry: Registry
  sinceProgress: (() => number) | null
  stopping: AbortSignal
}): Health {
  return {
    async ready() {
      if (stopping.aborted) return { ok: false, checks: { process: 'stopping' } }
      const [reachable, moving] = [await storeState(store), sinceProgress === null ? null : sinceProgress() < MOVING_MS]
      const checks = { store: reachable, ...(moving !== null && { scheduler: moving ? 'moving' : 'stuck' }) }
      return { ok: reachable === 'migrated' && moving !== false, checks }
    },
    metrics: () => registry.metrics(),
  }
}
