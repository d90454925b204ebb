interface Keys {
  /** Keys that do the same, or belong together. `g m`: one after the other. */
  readonly keys: readonly string[]
  readonly what: string
}

/** What keys do, by where they do it. `docs/dashboard.md` has the same in tables. */
export const KEYS = {
  everywhere: [
    { keys: ['Ctrl K', '⌘ K'], what: 'Find a monitor or a screen, or do something' },
    { keys: ['g m', 'g c', 'g d', 'g s'], what: 'Go to the monitors, the changes, the deliveries, the searches' },
    { keys: ['?'], what: 'Show the keys, and turn single keys off or on' },
    { keys: ['Esc'], what: 'Close what is open' },
  ],
  list: [
    { keys: ['/'], what: 'Search; Esc leaves the search' },
    { keys: ['j', 'k'], what: 'Next and previous row' },
    { keys: ['↓', '↑'], what: 'The same, when the list has the focus' },
    { keys: ['PgDn', 'PgUp', 'Home', 'End'], what: 'Further in the list' },
    { keys: ['Enter'], what: 'Open the row' },
    { keys: ['n'], what: 'Make a monitor' },
    { keys: ['Space', 'x'], what: 'Select the row, or leave it' },
    { keys: ['Shift ↓', 'Shift ↑'], what: 'Select several rows' },
    { keys: ['r'], what: 'Run now: what is selected, or the row' },
    { keys: ['p'], what: 'Pause it, or resume it' },
    { keys: ['m'], what: 'Mute it, or end its mute' },
    { keys: ['e', 'u'], what: 'Mark its last change as seen, as unseen' },
    { keys: ['Esc'], what: 'Clear the selection' },
  ],
  monitor: [
    { keys: ['r'], what: 'Run now' },
    { keys: ['p'], what: 'Pause, or resume' },
    { keys: ['m'], what: 'Mute, or end the mute' },
    { keys: ['←', '→', 'Home', 'End'], what: 'On the plot: the point before, the next, the first, the last' },
    { keys: ['Enter', 'Space'], what: 'On a folded line: open and close it' },
  ],
  making: [
    { keys: ['↑', '↓'], what: 'On the picture: the element around, the first one inside' },
    { keys: ['←', '→'], what: 'On the picture: the element before, the next one' },
    { keys: ['Enter', 'Space'], what: 'On the picture and on the tree: read this element' },
  ],
  changes: [
    { keys: ['j', 'k'], what: 'Next and previous change' },
    { keys: ['Enter'], what: 'Open the run that found it' },
    { keys: ['e'], what: 'Mark it, and the older ones of its monitor, as seen' },
    { keys: ['u'], what: 'Mark it, and the later ones of its monitor, as unseen' },
  ],
  deliveries: [
    { keys: ['/'], what: 'Search; Esc leaves the search' },
    { keys: ['j', 'k'], what: 'Next and previous delivery' },
    { keys: ['Enter'], what: 'Open it' },
    { keys: ['x'], what: 'Select it, or leave it' },
    { keys: ['r'], what: 'Send again: what is selected, or this one' },
  ],
  searches: [
    { keys: ['/'], what: 'Search; Esc leaves the search' },
    { keys: ['j', 'k'], what: 'Next and previous search' },
    { keys: ['Enter'], what: 'Open it' },
  ],
  run: [
    { keys: ['n', 'p'], what: 'Next and previous change' },
    { keys: ['[', ']'], what: 'Older and newer run' },
    { keys: ['e'], what: 'Mark it as seen' },
    { keys: ['m'], what: 'Mute its monitor, or end the mute' },
  ],
} as const satisfies Readonly<Record<string, readonly Keys[]>>

/** Where keys do something. */
export type KeyPlace = keyof typeof KEYS

/** A key that does something there. */
export type KeyOf<Place extends KeyPlace> = (typeof KEYS)[Place][number]['keys'][number]
