import type { Logger } from '../../core/logger.ts'
import type { Store } from '../../store/db/client.ts'
import { findStrayMuted, moveMuted } from '../../store/deliveries/muted-messages.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import { createPeriodicWork, type PeriodicWork } from './periodic-work.ts'

const LOOK_EVERY_MS = 60_000

interface EndedMutesPorts {
  readonly store: Store
  readonly secrets: SecretBox
}

/** Sends once a minute what still waits for the end of a mute that has ended. */
export const createEndedMutes = ({ log, ...ports }: EndedMutesPorts & { readonly log: Logger }): PeriodicWork =>
  createPeriodicWork({
    everyMs: LOOK_EVERY_MS,
    work: (stopping) => sendOfEndedMutes(ports, stopping),
    onFault: (err) => log.warn({ err }, 'what waits for mutes that have ended was not sent; trying again in a minute'),
  })

/** Sends what still waits for the end of a mute that has ended, unless there are quiet hours. */
export async function sendOfEndedMutes({ store, secrets }: EndedMutesPorts, stopping: AbortSignal): Promise<void> {
  for (const monitor of await findStrayMuted(store)) {
    if (stopping.aborted) return
    await store.transaction((tx) => moveMuted(tx, secrets, { monitor, mute: null }))
  }
}
