import type { Registry } from 'prom-client'
import type { Health } from '../../core/health.ts'
import type { Logger } from '../../core/logger.ts'
import { type HealthServer, startHealthServer } from '../../platform/health-server.ts'
import type { Settings } from '../settings/read-config.ts'
import { countRefused } from './refused-connections.ts'

interface Serving {
  readonly settings: Settings
  readonly registry: Registry
  readonly log: Logger
}

/** Serves health and metrics on TIDEMARK_METRICS_PORT. Without that setting it serves nothing. */
export async function serveHealth(
  health: Health,
  { settings, registry, log }: Serving,
): Promise<HealthServer | undefined> {
  const { HOST: host, TIDEMARK_METRICS_PORT: port } = settings
  if (port === undefined) return undefined
  const token = () => settings.TIDEMARK_METRICS_TOKEN
  return startHealthServer(health, { host, port, token, log, onRefused: countRefused({ registry, log }, 'metrics') })
}
