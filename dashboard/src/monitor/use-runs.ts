import { useInfiniteQuery } from '@tanstack/react-query'
import { ask, serverNow } from '../api/client.ts'
import type { Run } from '../api/types.ts'
import { refreshMs } from '../live/live-state.ts'

/** What runs are shown, by the word in the address. */
export const SHOWN = {
  '': {},
  changed: { changed: 'true' },
  fired: { fired: 'true' },
  failed: { status: 'error' },
} as const
const ROWS = 100
/** More pages than these are not read again as time passes. */
const MOST_FRESH = 3

interface RunPage {
  readonly data: readonly Run[]
  readonly next?: string | null
}

/** Returns the instant at which a day ends where the person is, for the API. */
function endOf(day: string): string | null {
  const start = new Date(`${day}T00:00:00`)
  if (!(start.getTime() < serverNow())) return null
  // Days on which clocks are changed have another number of hours.
  return new Date(start.getFullYear(), start.getMonth(), start.getDate() + 1).toISOString()
}

/** Reads the runs of a monitor, the newest first; with a day, those until its end. */
export function useRuns(path: string, shown: keyof typeof SHOWN, day: string) {
  const found = useInfiniteQuery({
    queryKey: ['runs', path, shown, day],
    queryFn({ pageParam, signal }) {
      const to = endOf(day)
      const query = new URLSearchParams({ limit: String(ROWS), ...SHOWN[shown], ...(to !== null && { to }) })
      if (pageParam !== null) query.set('before', pageParam)
      return ask<RunPage>(`${path}/runs?${query}`, { signal })
    },
    initialPageParam: null as string | null,
    // Without a filter the answer does not say where the next page begins.
    getNextPageParam: ({ data, next }) => (next === undefined && data.length === ROWS ? data.at(-1)?.id : next),
    refetchInterval: (query) => ((query.state.data?.pages.length ?? 0) <= MOST_FRESH ? refreshMs(query) : false),
  })
  return {
    runs: found.data?.pages.flatMap(({ data }) => data) ?? null,
    error: found.error,
    hasMore: found.hasNextPage,
    isReadingMore: found.isFetchingNextPage,
    readMore: () => void found.fetchNextPage(),
  }
}
