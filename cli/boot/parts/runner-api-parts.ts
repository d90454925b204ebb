import { buildLaneApp } from '../../../api/runner-api/runner-api-app.ts'
import type { Logger } from '../../../core/logger.ts'
import { createHeldLane, type HeldLaneOptions } from '../../../worker/queue/runner-service.ts'
import type { Store } from '../../../store/db/client.ts'
import type { Settings } from '../settings/read-config.ts'

interface LaneWorld {
  readonly settings: Pick<Settings, 'HOST' | 'TIDEMARK_LANE_PORT'>
  readonly store: Store
  readonly log: Logger
  readonly held: Omit<HeldLaneOptions, 'store'>
}

/**
 * Starts the runner API on a port of its own, so that runners can claim checks that need a browser. Returns null when
 * no port is set. Closing it waits for results that are being stored.
 */
export async function startLane({ settings, store, log, held }: LaneWorld): Promise<{ close(): Promise<void> } | null> {
  const { HOST: host, TIDEMARK_LANE_PORT: port } = settings
  if (port === undefined) return null
  const app = buildLaneApp({ lane: createHeldLane({ ...held, store }), store, log })
  const address = await app.listen({ host, port })
  log.info({ address }, 'runner API listening')
  let closed: Promise<void> | undefined
  return { close: () => (closed ??= app.close()) }
}
