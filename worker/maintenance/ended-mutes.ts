import type { Logger } from '../../core/logger.ts'
import type { Store } from '../../store/db/client.ts'
import { findStrayMuted, moveMuted } from '../../store/deliveries/muted-messages.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import { createPeriodicWork, type PeriodicWork } from './periodic-work.ts'

const LOOK_EVERY_MS = 60_000

/** Sends once a minute what still waits for the end of a mute that has ended. */
export const createEndedMutes = ({
  store,
  secrets,
  log,
}: {
  readonly store: Store
  readonly secrets: SecretBox
  readonly log: Logger
}): PeriodicWork =>
  createPeriodicWork({
    everyMs: LOOK_EVERY_MS,
    async work(stopping) {
      for (const monitor of await findStrayMuted(store)) {
        if (stopping.aborted) return
        await store.transaction((tx) => moveMuted(tx, secrets, { monitor, mute: null }))
      }
    },
    onFault: (err) =>
      log.warn({ err }, 'what waits for mutes that have ended could not be read; trying again in a minute'),
  })
