import { useSyncExternalStore } from 'react'
import { askedMs } from '../api/faults.ts'

/** How often what is on the screen is read again where no stream tells what happens. */
const REFRESH_MS = 15_000
/** The same beside a stream: no event tells that a monitor has another name. */
const REFRESH_BESIDE_STREAM_MS = 60_000

const live = { isLive: false, listeners: new Set<() => void>() }

/** Notes whether a stream tells this tab what happens. */
export function setLive(isLive: boolean): void {
  if (live.isLive === isLive) return
  live.isLive = isLive
  for (const listener of live.listeners) listener()
}

function subscribe(listener: () => void): () => void {
  live.listeners.add(listener)
  return () => live.listeners.delete(listener)
}

/** Returns whether a stream tells this tab what happens. */
export const useIsLive = (): boolean => useSyncExternalStore(subscribe, () => live.isLive)

interface Asked {
  readonly state: {
    readonly dataUpdatedAt: number
    readonly errorUpdatedAt: number
    readonly fetchStatus: string
    readonly error: unknown
  }
}

/**
 * Returns after how long a query is asked again by itself. It counts from the last answer: an event that changes a cell
 * sets the timer anew, and where events come often it would never end.
 */
export function refreshMs({ state: { dataUpdatedAt, errorUpdatedAt, fetchStatus, error } }: Asked): number {
  const everyMs = Math.max(live.isLive ? REFRESH_BESIDE_STREAM_MS : REFRESH_MS, askedMs(error))
  // An answer sets the timer anew.
  if (fetchStatus !== 'idle') return everyMs
  const sinceMs = Date.now() - Math.max(dataUpdatedAt, errorUpdatedAt)
  return Math.min(everyMs, Math.max(1, everyMs - sinceMs))
}
