import { useSyncExternalStore } from 'react'

/** How often what is on the screen is read again where no stream tells what happens. */
const REFRESH_MS = 15_000
/** The same beside a stream: no event tells that a monitor was made or has another name. */
const REFRESH_BESIDE_STREAM_MS = 60_000

const state = { isLive: false, listeners: new Set<() => void>() }

/** Notes whether a stream tells this tab what happens. */
export function setLive(isLive: boolean): void {
  if (state.isLive === isLive) return
  state.isLive = isLive
  for (const listener of state.listeners) listener()
}

function subscribe(listener: () => void): () => void {
  state.listeners.add(listener)
  return () => state.listeners.delete(listener)
}

/** Returns whether a stream tells this tab what happens. */
export const useIsLive = (): boolean => useSyncExternalStore(subscribe, () => state.isLive)

/** Returns after how long a query is asked again by itself. */
export const refreshMs = (): number => (state.isLive ? REFRESH_BESIDE_STREAM_MS : REFRESH_MS)
