import { useSyncExternalStore } from 'react'

const server = { isAway: false, listeners: new Set<() => void>() }

/** Notes whether a request was answered, whatever the answer says. */
export function noteAnswer(isAnswered: boolean): void {
  if (server.isAway === !isAnswered) return
  server.isAway = !isAnswered
  for (const listener of server.listeners) listener()
}

function subscribe(listener: () => void): () => void {
  server.listeners.add(listener)
  return () => server.listeners.delete(listener)
}

/** Returns whether the server did not answer the last request. */
export const useIsAway = (): boolean => useSyncExternalStore(subscribe, () => server.isAway)
