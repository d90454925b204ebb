import { useQuery } from '@tanstack/react-query'
import { ask } from '../api/client.ts'
import type { OverviewCounts } from '../api/types.ts'
import { refreshMs } from '../live/live-state.ts'
import { type Filters, queryOf } from './filters.ts'

export type Counts = OverviewCounts & Required<Pick<OverviewCounts, 'by_error' | 'labels'>>

/** Labels are changed by people, and counting them reads every monitor. */
const LABELS_MS = 300_000
/** What is not asked for is not counted. */
export const CHIPS = 'count_errors=false&count_labels=false'
const ERRORS = 'count_labels=false&count_destinations=false'

const pathOf = (query: string, parts: string): string => `/v1/overview/counts?${query}${query && '&'}${parts}`

/**
 * How many monitors each chip would leave, of those that the search and the label leave. They are asked for once there
 * are rows, which a person waits for: counting beside them makes these late.
 */
export function useCounts({ q, label, failing }: Filters, hasRows: boolean): Counts | null {
  const query = queryOf({ ...(q !== undefined && { q }), ...(label !== undefined && { label }) })
  const counts = useOverviewCounts(query, failing === 'true' ? ERRORS : CHIPS, hasRows)
  const { data: labelled } = useQuery({
    queryKey: ['labels', query],
    queryFn: ({ signal }) =>
      ask<OverviewCounts>(pathOf(query, 'count_errors=false&count_destinations=false'), { signal }),
    staleTime: LABELS_MS,
    placeholderData: (before) => before,
    enabled: hasRows && counts !== null,
  })
  return counts && { by_error: [], ...counts, labels: labelled?.labels ?? [] }
}

/** What the rail counts of the whole team. */
interface RailCounts {
  /** Changes that the person has not seen. */
  readonly unseen: number
  /** Destinations that take nothing. */
  readonly failing: number
  /** Deliveries that were given up. */
  readonly givenUp: number
  /** Monitors of searches. */
  readonly searches: number
}

/** Counts what the rail shows, of the whole team. */
export function useRailCounts(): RailCounts {
  const {
    unseen = 0,
    failing_destinations: failing = 0,
    given_up_deliveries: givenUp = 0,
    by_kind: kinds = [],
  } = useOverviewCounts('', CHIPS, true) ?? {}
  return { unseen, failing, givenUp, searches: kinds.find(({ kind }) => kind === 'serp')?.count ?? 0 }
}

/** Counts the monitors that a query leaves. `parts`: what is not counted. Null: they are being counted. */
export function useOverviewCounts(query: string, parts: string, enabled: boolean): OverviewCounts | null {
  const { data } = useQuery({
    queryKey: ['counts', query, parts],
    queryFn: ({ signal }) => ask<OverviewCounts>(pathOf(query, parts), { signal }),
    refetchInterval: refreshMs,
    placeholderData: (before) => before,
    enabled,
  })
  return data ?? null
}
