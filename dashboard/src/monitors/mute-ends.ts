/** How long a mute lasts, as a person chooses it. */
export type MuteEnd = 'hour' | 'day' | 'tomorrow' | 'date' | 'open'

export const MUTE_ENDS: readonly (readonly [MuteEnd, string])[] = [
  ['hour', 'For 1 hour'],
  ['day', 'For 24 hours'],
  ['tomorrow', 'Until tomorrow at 8:00'],
  ['date', 'Until a day and a time'],
  ['open', 'Without an end'],
]

const HOUR_MS = 3_600_000

/**
 * Returns when a mute ends that begins now, by the clock of the person. Null: somebody ends it. Undefined: the day that
 * was typed is none, or is over.
 */
export function endOf(end: MuteEnd, nowMs: number, typed: string): Date | null | undefined {
  const now = new Date(nowMs)
  switch (end) {
    case 'hour':
      return new Date(nowMs + HOUR_MS)
    case 'day':
      return new Date(nowMs + 24 * HOUR_MS)
    case 'tomorrow':
      return new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, 8)
    case 'date': {
      const at = new Date(typed)
      return at.getTime() > nowMs ? at : undefined
    }
    case 'open':
      return null
  }
}
