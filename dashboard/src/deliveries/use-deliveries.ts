import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ask } from '../api/client.ts'
import type { Deliveries, DeliveryCounts, FailingDestinations } from '../api/types.ts'
import { refreshMs } from '../live/live-state.ts'
import { askedOf, type DeliveryFilters, withoutState } from './delivery-filters.ts'

export type Listed = Deliveries['data'][number]

const ROWS = 50
/** What asks for deliveries begins so: an event of a delivery reads it again. */
const SENT = 'sent'

interface DeliveryList {
  /** Null: they are being read for the first time. */
  readonly rows: readonly Listed[] | null
  readonly total: number
  readonly error: unknown
  readonly hasMore: boolean
  readonly isReadingMore: boolean
  readMore(): void
}

interface Reading {
  /** How many are read at once. */
  readonly rows?: number
  /** False: nothing is read, and the list is empty. */
  readonly isWanted?: boolean
}

/** Reads the deliveries of the team that filters leave, the newest first. */
export function useDeliveries(filters: DeliveryFilters, { rows = ROWS, isWanted = true }: Reading = {}): DeliveryList {
  const query = new URLSearchParams(askedOf(filters)).toString()
  const found = useInfiniteQuery({
    queryKey: [SENT, 'list', query, rows],
    queryFn: ({ pageParam, signal }) =>
      ask<Deliveries>(`/v1/deliveries?${query}${query && '&'}payloads=false&limit=${rows}&page=${pageParam}`, {
        signal,
      }),
    initialPageParam: 1,
    getNextPageParam: ({ pagination: { hasMore, page } }) => (hasMore ? page + 1 : null),
    refetchInterval: refreshMs,
    placeholderData: (before) => before,
    enabled: isWanted,
  })
  const pages = (isWanted && found.data?.pages) || []
  // A new one moves the others by one place: the last of a page is the first of the next one then.
  const byId = new Map(pages.flatMap(({ data }) => data.map((one) => [one.id, one] as const)))
  return {
    rows: found.data || !isWanted ? [...byId.values()] : null,
    total: pages.at(-1)?.pagination.total ?? 0,
    error: found.error,
    hasMore: found.hasNextPage,
    isReadingMore: found.isFetchingNextPage,
    readMore: () => void found.fetchNextPage(),
  }
}

/** Counts the deliveries by their state, of those that the other filters leave. Null: they are being counted. */
export function useDeliveryCounts(filters: DeliveryFilters): DeliveryCounts | null {
  const query = new URLSearchParams({ ...withoutState(filters) }).toString()
  const { data } = useQuery({
    queryKey: [SENT, 'counts', query],
    queryFn: ({ signal }) => ask<DeliveryCounts>(`/v1/deliveries/counts?${query}`, { signal }),
    refetchInterval: refreshMs,
    placeholderData: (before) => before,
  })
  return data ?? null
}

/** Reads the destinations that take no deliveries. Null: they are being read. */
export function useFailingDestinations(): FailingDestinations | null {
  const { data } = useQuery({
    queryKey: [SENT, 'destinations'],
    queryFn: ({ signal }) => ask<FailingDestinations>('/v1/deliveries/destinations', { signal }),
    refetchInterval: refreshMs,
  })
  return data ?? null
}
