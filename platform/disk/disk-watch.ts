import { createWakeableLoop } from '../../concurrency/loops/wakeable-loop.ts'
import type { DiskLevel, DiskState } from '../../core/disk-guard.ts'
import {
  DISK_SLACK,
  DISK_STOPS_AT,
  DISK_WARNS_AT,
  type DiskFigures,
  type DiskPlaceName,
  fillPercent,
} from '../../schema/disk.ts'

/** A place that can fill. */
export interface DiskPlace {
  readonly name: DiskPlaceName
  /** Returns its figures in bytes; null when there is nothing to look at yet. */
  measure(): Promise<Pick<DiskFigures, 'used' | 'size'> | null>
}

/** Knows whether the disks of the installation fill. */
export interface DiskWatch {
  /** What the last look found. */
  readonly states: readonly DiskState[]
  /** The fullest place on which previews and pictures stop. Null: all have room. */
  readonly full: DiskState | null
  /** Looks now. */
  look(): Promise<void>
  /** Looks every ten seconds, until `close`. */
  start(): void
  close(): Promise<void>
}

interface DiskWatchOptions {
  readonly places: readonly DiskPlace[]
  /** Is told of every look. What it throws is told to `onFault`, and the next look comes. */
  readonly onLook?: (states: readonly DiskState[]) => Promise<void>
  readonly onFault: (error: unknown) => void
}

const LOOK_EVERY_MS = 10_000

export function createDiskWatch({ places, onLook, onFault }: DiskWatchOptions): DiskWatch {
  let states: readonly DiskState[] = []
  const loop = createWakeableLoop({
    async work() {
      await look()
      return LOOK_EVERY_MS
    },
    onFault,
    faultPauses: { firstMs: LOOK_EVERY_MS, longestMs: LOOK_EVERY_MS },
  })

  async function look(): Promise<void> {
    const found: DiskState[] = []
    for (const { name, measure } of places) {
      const before = states.find(({ place }) => place === name)
      const figures = await measure()
      if (!figures) continue
      const level = levelOf(fillPercent({ place: name, ...figures }), before?.level ?? 0)
      found.push({ place: name, ...figures, level })
    }
    states = found
    await onLook?.(states)
  }

  return {
    get states() {
      return states
    },
    get full() {
      const stopping = states.filter(({ level }) => level === DISK_STOPS_AT)
      return stopping.toSorted((a, b) => b.used / b.size - a.used / a.size)[0] ?? null
    },
    look,
    start: () => loop.start(LOOK_EVERY_MS),
    close: () => loop.stop(),
  }
}

function levelOf(percent: number, before: DiskLevel): DiskLevel {
  for (const level of [DISK_STOPS_AT, DISK_WARNS_AT] as const)
    if (percent >= level || (before >= level && percent > level - DISK_SLACK)) return level
  return 0
}
