import { COLLECTIONS, type Monitor, type SerpMonitor } from '../api/types.ts'

/** The keys that only monitors of pages have. */
type OfPages = 'url' | 'diff_predicate' | 'visual_config'

/** A monitor of a page or of a search. */
export type AnyMonitor = Omit<Monitor, OfPages> & Partial<Pick<Monitor, OfPages>> & Partial<SerpMonitor>

/** Where a monitor is. */
export interface Place {
  readonly kind: keyof typeof COLLECTIONS
  /** Of the API. */
  readonly path: string
  /** Of the dashboard. */
  readonly home: string
}

/** Returns where a monitor is. */
export function placeOf(kind: Place['kind'], id: string): Place {
  const home = `/${COLLECTIONS[kind]}/${encodeURIComponent(id)}`
  return { kind, path: `/v1${home}`, home }
}

/** Returns an address that may be opened: one of the web. Null: it is another one, or none. */
export function webAddress(text: string): string | null {
  const parsed = URL.parse(text)
  return parsed?.protocol === 'https:' || parsed?.protocol === 'http:' ? parsed.href : null
}
