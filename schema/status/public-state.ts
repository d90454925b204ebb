/** The states of a monitor as a status page says them, in the order in which a summary counts them. */
export const PUBLIC_STATES = {
  not_readable: { words: 'Not readable', meaning: 'The last check could not read it.' },
  overdue: {
    words: 'Not checked in time',
    meaning: 'The last check could read it, and is two intervals and 15 minutes ago, or more.',
  },
  changed: { words: 'Changed', meaning: 'It changed within the last 24 hours, and the last check could read it.' },
  up_to_date: { words: 'Up to date', meaning: 'The last check could read it, and it has not changed for 24 hours.' },
  waiting: { words: 'Not read yet', meaning: 'No check of it has ended.' },
  paused: { words: 'Paused', meaning: 'It is not checked now.' },
} as const
export type PublicState = keyof typeof PUBLIC_STATES

/** So long after a change the state is `changed`. */
export const CHANGED_MS = 24 * 3_600_000

/** A monitor is `overdue` from so many intervals and so long after its last check on. */
export const OVERDUE = { intervals: 2, ms: 15 * 60_000 } as const
