import { useSyncExternalStore } from 'react'
import { keep, kept } from './kept.ts'

const NAME = 'tidemark.keys'
const listeners = new Set<() => void>()
let areOn = kept(NAME) !== 'off'

/** What is over the screen, and takes its keys. */
export const OVER_THE_SCREEN = '[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]'

/** Whether keys are for what has the focus, and not for the screen. The field of a palette sends its own to an item. */
const isTaken = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  // Nobody types into a box that is ticked.
  (target.matches('input:not([type="checkbox"]), textarea, select') ||
    target.isContentEditable ||
    target.ownerDocument.querySelector(OVER_THE_SCREEN) !== null)

/** Whether a key that is pressed may be a shortcut: nobody types, and keys without Ctrl or ⌘ are not turned off. */
export const isShortcut = ({ ctrlKey, metaKey, altKey, target }: globalThis.KeyboardEvent): boolean =>
  areOn && !ctrlKey && !metaKey && !altKey && !isTaken(target)

/** Returns whether single keys are shortcuts, and how to turn them on and off. Speech input presses keys by chance. */
export function useSingleKeys(): readonly [boolean, (on: boolean) => void] {
  const now = useSyncExternalStore(
    (render) => {
      listeners.add(render)
      return () => listeners.delete(render)
    },
    () => areOn,
  )
  return [
    now,
    (on) => {
      areOn = on
      keep(NAME, on ? 'on' : 'off')
      for (const listener of listeners) listener()
    },
  ]
}
