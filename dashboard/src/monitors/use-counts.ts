import { useQuery } from '@tanstack/react-query'
import { ask } from '../api/client.ts'
import type { OverviewCounts } from '../api/types.ts'
import { type Filters, queryOf } from './filters.ts'
import { REFRESH_MS } from './use-rows.ts'

/** How many monitors each chip would leave, of those that the search and the label leave. */
export function useCounts({ q, label }: Filters): OverviewCounts | null {
  const query = queryOf({ ...(q !== undefined && { q }), ...(label !== undefined && { label }) })
  const { data } = useQuery({
    queryKey: ['counts', query],
    queryFn: ({ signal }) => ask<OverviewCounts>(`/v1/overview/counts${query && `?${query}`}`, { signal }),
    refetchInterval: REFRESH_MS,
    placeholderData: (before) => before,
  })
  return data ?? null
}
