import { useEffect, useSyncExternalStore } from 'react'

/** Something that a screen offers to do, by name. */
export interface Command {
  readonly id: string
  readonly title: string
  /** Why it cannot be done now. Null: it can. */
  readonly refused: string | null
  act(): void
}

const NONE: readonly Command[] = []
const listeners = new Set<() => void>()
let offered = NONE

function offer(commands: readonly Command[]): void {
  offered = commands
  for (const listener of listeners) listener()
}

/** Offers commands in the palette as long as the screen is shown. */
export function useCommands(commands: readonly Command[]): void {
  useEffect(() => offer(commands))
  useEffect(() => () => offer(NONE), [])
}

/** Returns what the screen offers. */
export const useOffered = (): readonly Command[] =>
  useSyncExternalStore(
    (render) => {
      listeners.add(render)
      return () => listeners.delete(render)
    },
    () => offered,
  )
