import { buildLaneApp } from '../api/lane/lane-app.ts'
import type { Logger } from '../core/logger.ts'
import { createHeldLane, type HeldLaneOptions } from '../runners/lane/held-lane.ts'
import type { Store } from '../store/client.ts'
import type { Settings } from './read-config.ts'

interface LaneWorld {
  readonly settings: Pick<Settings, 'HOST' | 'TIDEMARK_LANE_PORT'>
  readonly store: Store
  readonly log: Logger
  readonly held: Omit<HeldLaneOptions, 'store'>
}

/** Lets runners claim what is to be rendered, on a port of its own; null where none is set. Closing it waits for what is being taken over. */
export async function startLane({ settings, store, log, held }: LaneWorld): Promise<{ close(): Promise<void> } | null> {
  const { HOST: host, TIDEMARK_LANE_PORT: port } = settings
  if (port === undefined) return null
  const app = buildLaneApp({ lane: createHeldLane({ ...held, store }), store, log })
  const address = await app.listen({ host, port })
  log.info({ address }, 'runners reach the lane')
  let closed: Promise<void> | undefined
  return { close: () => (closed ??= app.close()) }
}
