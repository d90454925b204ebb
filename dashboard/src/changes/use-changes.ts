import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../api/client.ts'
import type { Changes } from '../api/types.ts'
import { refreshMs } from '../live/live-state.ts'

export type Change = Changes['data'][number]

const ROWS = 50

/** Which changes are asked for: those that fired and of which nothing was sent are silent. */
const ASKED = { all: {}, unseen: { unseen: 'true' }, silent: { fired: 'true', sent: 'false' } } as const
type WhichChanges = keyof typeof ASKED

export interface ChangeList {
  /** Null: they are being read for the first time. */
  readonly changes: readonly Change[] | null
  readonly error: unknown
  readonly hasMore: boolean
  readonly isReadingMore: boolean
  readMore(): void
  /** Marks a change, and the older ones of its monitor, as seen. */
  see(change: Change): void
  /** Marks a change, and the later ones of its monitor, as not seen. */
  unsee(change: Change): void
  /** Marks all changes up to this one as seen, of every monitor. */
  seeAll(newest: Change): void
}

/** Reads the changes of the team, the newest first, and marks them. A mark is shown before the server has it. */
export function useChanges(which: WhichChanges): ChangeList {
  const queries = useQueryClient()
  const [refused, setRefused] = useState<unknown>(null)
  const key = ['changes', which]
  const found = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => {
      const query = new URLSearchParams({ ...ASKED[which], limit: String(ROWS) })
      if (pageParam !== null) query.set('before', pageParam)
      return ask<Changes>(`/v1/changes?${query}`, { signal })
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    refetchInterval: refreshMs,
  })

  async function mark(path: string, body: object, shown: (change: Change) => Change) {
    await queries.cancelQueries({ queryKey: key })
    queries.setQueryData<InfiniteData<Changes>>(
      key,
      (old) => old && { ...old, pages: old.pages.map((page) => ({ ...page, data: page.data.map(shown) })) },
    )
    const fault = await ask(path, { method: 'POST', body }).then(
      () => null,
      (error: unknown) => error,
    )
    setRefused(fault)
    // Where only what is not seen is listed, a row that was marked stays until the list is opened again.
    if (fault !== null || which !== 'unseen') void queries.invalidateQueries({ queryKey: key })
    void queries.invalidateQueries({ queryKey: ['counts'] })
    void queries.invalidateQueries({ queryKey: ['overview'] })
  }

  const isOf = (change: Change, other: Change): boolean => other.monitor.id === change.monitor.id
  return {
    changes: found.data?.pages.flatMap(({ data }) => data) ?? null,
    error: found.error ?? refused,
    hasMore: found.hasNextPage,
    isReadingMore: found.isFetchingNextPage,
    readMore: () => void found.fetchNextPage(),
    see: (change) =>
      void mark('/v1/changes/seen', { until: change.run_id, monitor_ids: [change.monitor.id] }, (other) =>
        isOf(change, other) && other.run_id <= change.run_id ? { ...other, seen: true } : other,
      ),
    unsee: (change) =>
      void mark('/v1/changes/unseen', { run_id: change.run_id }, (other) =>
        isOf(change, other) && other.run_id >= change.run_id ? { ...other, seen: false } : other,
      ),
    seeAll: (newest) =>
      void mark('/v1/changes/seen', { until: newest.run_id }, (other) =>
        other.run_id <= newest.run_id ? { ...other, seen: true } : other,
      ),
  }
}
