import type { Change } from './use-changes.ts'

/** Changes under one heading. */
export interface Group {
  readonly title: string
  readonly rows: readonly { readonly change: Change; readonly count: number }[]
}

const DAY_MS = 86_400_000
const weekday = new Intl.DateTimeFormat('en', { weekday: 'long', day: 'numeric', month: 'long' })

/** Returns changes, the newest first, by the day on which they were found. */
export function byDay(changes: readonly Change[], now: number): readonly Group[] {
  const days = Map.groupBy(changes, ({ at }) => dayOf(Date.parse(at), now))
  return [...days].map(([title, found]) => ({ title, rows: found.map((change) => ({ change, count: 1 })) }))
}

/** Returns the newest change of each monitor, with the number of all of them. */
export function byMonitor(changes: readonly Change[]): readonly Group[] {
  const monitors = Map.groupBy(changes, ({ monitor }) => monitor.id)
  const rows = [...monitors.values()].flatMap(([change, ...older]) =>
    change ? [{ change, count: older.length + 1 }] : [],
  )
  return rows.length === 0 ? [] : [{ title: 'By monitor', rows }]
}

/** Returns the day of an instant in words, as a person says it now. */
export function dayOf(at: number, now: number): string {
  const days = Math.round((startOfDay(now) - startOfDay(at)) / DAY_MS)
  if (days <= 0) return 'Today'
  return days === 1 ? 'Yesterday' : weekday.format(at)
}

const startOfDay = (at: number): number => new Date(at).setHours(0, 0, 0, 0)
