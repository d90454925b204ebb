import { useInfiniteQuery } from '@tanstack/react-query'
import { ask } from '../api/client.ts'
import type { AuditPage } from '../api/types.ts'
import { type AuditFilters, queryOf } from './filters.ts'
import type { Action, AuditEvent } from './sentences.ts'

const ROWS = 50

interface AuditLog {
  /** Undefined: they are being read for the first time. */
  readonly events: readonly AuditEvent[] | undefined
  readonly total: number
  /** Actions that were recorded for the team. */
  readonly actions: readonly Action[]
  readonly error: unknown
  readonly hasMore: boolean
  readonly isReadingMore: boolean
  readMore(): void
}

interface Window {
  readonly page: number
  /** The instant of the newest event of the first page: what is recorded since would move the pages. */
  readonly newest: string | null
}

const FIRST: Window = { page: 1, newest: null }

/** Reads the audit log by pages, the newest first. */
export function useAudit(filters: AuditFilters, isAllowed: boolean): AuditLog {
  const found = useInfiniteQuery({
    queryKey: ['audit', filters],
    queryFn: ({ pageParam: { page, newest }, signal }) => {
      const query = queryOf(filters)
      query.set('page', String(page))
      query.set('limit', String(ROWS))
      if (newest !== null) query.set('to', newest)
      return ask<AuditPage>(`/v1/team/audit?${query}`, { signal })
    },
    initialPageParam: FIRST,
    getNextPageParam: ({ pagination: { page, hasMore } }, [first]) =>
      hasMore ? { page: page + 1, newest: first?.data[0]?.created_at ?? null } : undefined,
    enabled: isAllowed,
    placeholderData: (before) => before,
  })
  const [first] = found.data?.pages ?? []
  const all = found.data?.pages.flatMap(({ data }) => data)
  return {
    // Events of one millisecond may be on two pages.
    events: all && [...new Map(all.map((event) => [event.id, event])).values()],
    total: first?.pagination.total ?? 0,
    actions: first?.actions ?? [],
    error: found.error,
    hasMore: found.hasNextPage,
    isReadingMore: found.isFetchingNextPage,
    readMore: () => void found.fetchNextPage(),
  }
}
