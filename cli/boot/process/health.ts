import type { Registry } from 'prom-client'
import { type Health, MOVING_MS } from '../../../core/health.ts'
import type { Logger } from '../../../core/logger.ts'
import { type HealthServer, startHealthServer } from '../../../platform/health-server.ts'
import { countRefused } from './refused-connections.ts'
import type { Settings } from '../settings/read-config.ts'
import type { Store } from '../../../store/db/client.ts'
import { storeState } from '../../../store/db/store-state.ts'

/**
 * Returns the health of a process: its store, and its scheduler where it has one. From the stop signal on the process
 * is not ready, so that balancers send no more requests. Requests that still arrive are served.
 */
export function createHealth({
  store,
  registry,
  log,
  sinceProgress,
  stopping,
}: {
  store: Store
  registry: Registry
  log: Logger
  sinceProgress: (() => number) | null
  stopping: AbortSignal
}): Health {
  return {
    async ready() {
      if (stopping.aborted) return { ok: false, checks: { process: 'stopping' } }
      const [reachable, moving] = [
        await storeState(store, log),
        sinceProgress === null ? null : sinceProgress() < MOVING_MS,
      ]
      const checks = { store: reachable, ...(moving !== null && { scheduler: moving ? 'moving' : 'stuck' }) }
      return { ok: reachable === 'migrated' && moving !== false, checks }
    },
    metrics: () => registry.metrics(),
  }
}

interface Serving {
  readonly settings: Settings
  readonly registry: Registry
  readonly log: Logger
  readonly stopping: AbortSignal
}

/** Serves health and metrics on TIDEMARK_METRICS_PORT. Without that setting it serves nothing. */
export async function serveHealth(
  { settings, registry, log, stopping }: Serving,
  { store, sinceProgress }: { readonly store: Store; readonly sinceProgress: (() => number) | null },
): Promise<HealthServer | undefined> {
  const { HOST: host, TIDEMARK_METRICS_PORT: port, TIDEMARK_METRICS_TOKEN: token } = settings
  if (port === undefined) return undefined
  const health = createHealth({ store, registry, log, sinceProgress, stopping })
  return startHealthServer(health, { host, port, token, log, onRefused: countRefused({ registry, log }, 'metrics') })
}
