import { type DiskLevel, type DiskState, diskText } from '../../core/disk-guard.ts'
import type { Logger } from '../../core/logger.ts'
import { DISK_STOPS_AT, type DiskPlaceName } from '../../schema/disk.ts'
import type { Store } from '../../store/db/client.ts'
import { noteDisk } from '../../store/maintenance/disk-notice.ts'

/** Notifies the owner when a disk reaches a level. The log has the same, and says when there is room again. */
export function createDiskNotices({ store, log }: { readonly store: Store; readonly log: Logger }): {
  look(states: readonly DiskState[]): Promise<void>
} {
  const told = new Map<DiskPlaceName, DiskLevel>()
  return {
    async look(states) {
      for (const state of states) {
        const before = told.get(state.place) ?? 0
        if (state.level === before) continue
        if (state.level > before) await noteDisk(store, state)
        tell(state, before)
        told.set(state.place, state.level)
      }
    },
  }

  function tell({ place, used, size, level }: DiskState, before: DiskLevel): void {
    const text = diskText({ place, used, size })
    const figures = { place, used_bytes: used, size_bytes: size }
    if (level === DISK_STOPS_AT) log.error(figures, `${text}: previews and new pictures have stopped`)
    else if (before === DISK_STOPS_AT) log.warn(figures, `${text}: previews and new pictures go on`)
    else if (level > before) log.warn(figures, text)
    else log.info(figures, `${text}: there is room again`)
  }
}
