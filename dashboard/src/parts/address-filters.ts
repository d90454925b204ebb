import { useLocation, useSearch } from 'wouter'

/** What a list is filtered by, as it stands in the address. */
type FiltersOf<Name extends string> = Readonly<Partial<Record<Name, string>>>

interface AddressFilters<Name extends string> {
  /** Returns the query of filters, always in the same order. */
  queryOf(filters: FiltersOf<Name>): string
  /** Returns the filters of the address, and how to change some of them. What is undefined or '' is dropped. */
  useFilters(): readonly [FiltersOf<Name>, (change: { readonly [K in Name]?: string | undefined }) => void]
}

/** Returns how the filters with these names stand in the address of a screen. Other names are not taken. */
export function addressFilters<const Name extends string>(names: readonly Name[]): AddressFilters<Name> {
  const filtersOf = (search: URLSearchParams): FiltersOf<Name> =>
    Object.fromEntries(names.flatMap((name) => (search.get(name) ? [[name, search.get(name)]] : []))) as FiltersOf<Name>
  const queryOf = (filters: FiltersOf<Name>) =>
    new URLSearchParams(names.flatMap((name) => (filters[name] ? [[name, filters[name]]] : []))).toString()
  return {
    queryOf,
    useFilters() {
      const filters = filtersOf(new URLSearchParams(useSearch()))
      const [path, go] = useLocation()
      return [
        filters,
        (change) => {
          const query = queryOf({ ...filters, ...change } as FiltersOf<Name>)
          if (query === queryOf(filters)) return
          // The way back undoes a choice at once, and a word that was searched for as a whole.
          const isMoreOfAWord = 'q' in filters && Boolean(filters.q) && 'q' in change
          go(query === '' ? path : `${path}?${query}`, { replace: isMoreOfAWord })
        },
      ]
    },
  }
}
