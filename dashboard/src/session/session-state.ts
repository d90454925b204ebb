import { useSyncExternalStore } from 'react'

/** What is wrong with the session: it has ended, acts for another team, or is of another person. */
type Trouble = 'ended' | 'other team' | 'other person' | null

const state = { trouble: null as Trouble, listeners: new Set<() => void>() }

export function setTrouble(trouble: Trouble): void {
  if (state.trouble === trouble) return
  state.trouble = trouble
  for (const listener of state.listeners) listener()
}

/** Notes what the status of a refusal says of the session. */
export function noteRefusal(status: number): void {
  if (status === 401) setTrouble('ended')
  // Of two troubles, the first is to be solved first.
  if (status === 409 && state.trouble === null) setTrouble('other team')
}

function subscribe(listener: () => void): () => void {
  state.listeners.add(listener)
  return () => state.listeners.delete(listener)
}

export const useTrouble = (): Trouble => useSyncExternalStore(subscribe, () => state.trouble)
