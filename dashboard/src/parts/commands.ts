import { useEffect, useState, useSyncExternalStore } from 'react'

/** Something that a screen offers to do, by name. */
export interface Command {
  readonly id: string
  readonly title: string
  /** Why it cannot be done now. Null: it can. */
  readonly refused: string | null
  act(): void
}

const listeners = new Set<() => void>()
/** What each part of the screen offers. */
const parts = new Map<symbol, readonly Command[]>()
let offered: readonly Command[] = []

function change(): void {
  offered = [...parts.values()].flat()
  for (const listener of listeners) listener()
}

/** Offers commands in the palette as long as the part of the screen is shown. */
export function useCommands(commands: readonly Command[]): void {
  const [part] = useState(() => Symbol('part'))
  useEffect(() => {
    parts.set(part, commands)
    change()
  })
  useEffect(
    () => () => {
      parts.delete(part)
      change()
    },
    [part],
  )
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
