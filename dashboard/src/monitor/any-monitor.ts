import type { COLLECTIONS, Monitor, SerpMonitor } from '../api/types.ts'

/** A monitor of a page or of a search. */
export type AnyMonitor = Omit<Monitor, 'url'> & Partial<Pick<Monitor, 'url'>> & Partial<SerpMonitor>

/** Where a monitor is. */
export interface Place {
  readonly kind: keyof typeof COLLECTIONS
  /** Of the API. */
  readonly path: string
  /** Of the dashboard. */
  readonly home: string
}

/** Returns an address that may be opened: one of the web. Null: it is another one, or none. */
export function webAddress(text: string): string | null {
  const parsed = URL.parse(text)
  return parsed?.protocol === 'https:' || parsed?.protocol === 'http:' ? parsed.href : null
}
