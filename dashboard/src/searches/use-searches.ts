import { type InfiniteData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ask } from '../api/client.ts'
import { LIMITS, type Overview, type OverviewCounts, type SerpEngines } from '../api/types.ts'
import { refreshMs } from '../live/live-state.ts'
import { CHIPS, useOverviewCounts } from '../monitors/use-counts.ts'
import { byKeyword } from './by-keyword.ts'
import { queryOf, type SearchFilters } from './search-filters.ts'

/** The searches of the team, by their keywords. */
interface Searches {
  /** Null: they are being read for the first time. */
  readonly groups: ReturnType<typeof byKeyword> | null
  readonly total: number
  readonly error: unknown
  readonly hasMore: boolean
  readonly isReadingMore: boolean
  readMore(): void
}

/** Reads the searches that filters leave, ordered by their keywords. */
export function useSearches(filters: SearchFilters): Searches {
  return useSearchRows(queryOf(filters), 'sort=keyword', (before) => before)
}

/** Reads the searches for exactly one keyword. */
export const useKeyword = (keyword: string): Searches =>
  useSearchRows(new URLSearchParams({ keyword }).toString(), 'sort=name')

type Pages = InfiniteData<Overview, number>

/** `placeholder`: what is shown until the rows of another query arrive. */
function useSearchRows(
  query: string,
  sort: string,
  placeholder?: (before: Pages | undefined) => Pages | undefined,
): Searches {
  const found = useInfiniteQuery({
    queryKey: ['overview', 'searches', sort, query],
    queryFn: ({ pageParam, signal }) =>
      ask<Overview>(`/v1/overview?${query}${query && '&'}kind=serp&${sort}&limit=${LIMITS.rows}&page=${pageParam}`, {
        signal,
      }),
    initialPageParam: 1,
    getNextPageParam: ({ pagination: { hasMore, page } }) => (hasMore ? page + 1 : null),
    refetchInterval: refreshMs,
    ...(placeholder && { placeholderData: placeholder }),
  })
  return {
    groups: found.data ? byKeyword(found.data.pages.flatMap(({ data }) => data)) : null,
    total: found.data?.pages.at(-1)?.pagination.total ?? 0,
    error: found.error,
    hasMore: found.hasNextPage,
    isReadingMore: found.isFetchingNextPage,
    readMore: () => void found.fetchNextPage(),
  }
}

/** Counts the searches, of those that the word and the label leave. Null: they are being counted. */
export function useSearchCounts({ q, label }: SearchFilters): OverviewCounts | null {
  const query = queryOf({ ...(q !== undefined && { q }), ...(label !== undefined && { label }) })
  return useOverviewCounts(`kind=serp${query && `&${query}`}`, `${CHIPS}&count_destinations=false`, true)
}

type Engine = SerpEngines['data'][number]

/** Reads which engines are left alone after a refusal. */
export function useRefusingEngines(): readonly Engine[] {
  const { data } = useQuery({
    queryKey: ['engines'],
    queryFn: ({ signal }) => ask<SerpEngines>('/v1/serp-engines', { signal }),
    refetchInterval: refreshMs,
  })
  return (data?.data ?? []).filter(({ left_alone_until: until }) => until !== null)
}
