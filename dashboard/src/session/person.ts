import { setTrouble } from './session-state.ts'

/** The person whose data the page shows, by id. Pages of a browser tell each other, and nothing of it is stored. */
const shown = { id: null as string | null }
const tabs = new BroadcastChannel('tidemark.person')

function compare(id: unknown): boolean {
  const isAnother = shown.id !== null && id !== shown.id
  if (isAnother) setTrouble('other person')
  return isAnother
}

tabs.addEventListener('message', ({ data }) => compare(data))

/** Returns whether the session is of another person than the one whose data the page shows, and says so over it. */
export function isAnotherPerson(id: string | null): boolean {
  if (compare(id)) return true
  if (shown.id === null && id !== null) tabs.postMessage(id)
  shown.id = id
  return false
}
