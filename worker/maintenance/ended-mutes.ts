import type { Logger } from '../../core/logger.ts'
import type { Store } from '../../store/db/client.ts'
import { isStoreAway } from '../../store/db/store-fault.ts'
import { findStrayMuted, moveMuted } from '../../store/deliveries/muted-messages.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import { createPeriodicWork, type PeriodicWork } from './periodic-work.ts'

const LOOK_EVERY_MS = 60_000

interface EndedMutesPorts {
  readonly store: Store
  readonly secrets: SecretBox
  readonly log: Pick<Logger, 'warn'>
}

/** Sends once a minute what still waits for the end of a mute that has ended. */
export const createEndedMutes = (ports: EndedMutesPorts): PeriodicWork =>
  createPeriodicWork({
    everyMs: LOOK_EVERY_MS,
    work: (stopping) => sendOfEndedMutes(ports, stopping),
    onFault: (err) => ports.log.warn({ err }, `mutes that have ended were not looked for; ${AGAIN}`),
  })

const AGAIN = 'trying again in a minute'

/** Sends what still waits for the end of a mute that has ended, unless there are quiet hours. */
export async function sendOfEndedMutes({ store, secrets, log }: EndedMutesPorts, stopping: AbortSignal): Promise<void> {
  for (const monitor of await findStrayMuted(store)) {
    if (stopping.aborted) return
    try {
      await store.transaction((tx) => moveMuted(tx, secrets, monitor))
    } catch (err) {
      if (isStoreAway(err)) throw err
      log.warn({ err, no: monitor.no }, `what the mute of a monitor held was not sent; ${AGAIN}`)
    }
  }
}
