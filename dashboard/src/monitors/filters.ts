import { useLocation, useSearch } from 'wouter'

const NAMES = [
  'q',
  'kind',
  'status',
  'failing',
  'unseen',
  'error_code',
  'label',
  'managed_by',
  'locked',
  'sort',
] as const

/** What the list is filtered and ordered by, as the API is asked, and as it stands in the address. */
export type Filters = Readonly<Partial<Record<(typeof NAMES)[number], string>>>

/** Returns the filters of an address, without what is none. */
function filtersOf(search: string): Filters {
  const given = new URLSearchParams(search)
  return Object.fromEntries(NAMES.flatMap((name) => (given.get(name) ? [[name, given.get(name)]] : [])))
}

/** Returns the query of filters, always in the same order. */
export const queryOf = (filters: Filters): string =>
  new URLSearchParams(NAMES.flatMap((name) => (filters[name] ? [[name, filters[name]]] : []))).toString()

/** Returns the filters of the address, and how to change some of them. What is undefined or '' is dropped. */
export function useFilters(): readonly [
  Filters,
  (change: { readonly [K in keyof Filters]: string | undefined }) => void,
] {
  const filters = filtersOf(useSearch())
  const [path, go] = useLocation()
  return [
    filters,
    (change) => {
      const query = queryOf(
        filtersOf(
          new URLSearchParams(
            Object.entries({ ...filters, ...change }).flatMap(([name, value]) => (value ? [[name, value]] : [])),
          ).toString(),
        ),
      )
      if (query === queryOf(filters)) return
      // The way back undoes a choice at once, and a word that was searched for as a whole.
      const isMoreOfAWord = Boolean(filters.q) && 'q' in change
      go(query === '' ? path : `${path}?${query}`, { replace: isMoreOfAWord })
    },
  ]
}
