import type { Registry } from 'prom-client'
import type { Health } from '../api/health.ts'
import type { Store } from '../store/client.ts'
import { storeState } from '../store/store-state.ts'

/** The scheduler counts as moving while its last claim is younger than this. */
export const MOVING_MS = 15_000

/** Health of a process: its store, and its scheduler where it has one. */
export function createHealth({
  store,
  registry,
  sinceProgress,
}: {
  store: Store
  registry: Registry
  sinceProgress: (() => number) | null
}): Health {
  return {
    async ready() {
      const [reachable, moving] = [await storeState(store), sinceProgress === null ? null : sinceProgress() < MOVING_MS]
      const checks = { store: reachable, ...(moving !== null && { scheduler: moving ? 'moving' : 'stuck' }) }
      return { ok: reachable === 'migrated' && moving !== false, checks }
    },
    metrics: () => registry.metrics(),
  }
}
