import { useQueries } from '@tanstack/react-query'
import { useReducer, useState } from 'react'
import { ask } from '../api/client.ts'
import { LIMITS, type Overview } from '../api/types.ts'
import { refreshMs } from '../live/live-state.ts'
import { useRested } from '../parts/use-rested.ts'
import { type Filters, queryOf } from './filters.ts'
import { OrderedRows } from './ordered-rows.ts'

/** The rows of the list, of which the windows on the screen are read. */
interface Rows {
  readonly rows: OrderedRows
  readonly error: unknown
  /** The rows are those of other filters, until the first of these arrive. */
  readonly isOld: boolean
  readonly isEmpty: boolean
  sortAgain(): void
  /** Takes the order anew from what is read next: rows are gone. */
  startAgain(): void
}

/** Returns how a window of a list is read. */
export const windowQuery = (key: string, page: number) => ({
  queryKey: ['overview', key, page],
  queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
    ask<Overview>(`/v1/overview?${key}${key && '&'}page=${page}&limit=${LIMITS.rows}`, { signal }),
})

/** Returns the number of the window that has a row, from 1. */
const windowOf = (row: number): number => Math.floor(Math.max(0, row) / LIMITS.rows) + 1

/** Reads the windows of the list between two places, and again as time passes. */
export function useRows(filters: Filters, first: number, last: number): Rows {
  const [rows] = useState(() => new OrderedRows(LIMITS.rows))
  const [, render] = useReducer((count: number) => count + 1, 0)
  const key = queryOf(filters)
  // Another list is shown from its top: what is read of it first is that, wherever this one was.
  const isShown = rows.key === key
  const rested = useRested(isShown ? windowOf(first) : 1)
  const from = isShown ? rested : 1
  const more = isShown ? Math.max(0, windowOf(last) - windowOf(first)) : 0
  const pages = Array.from({ length: more + 1 }, (_, nth) => from + nth)
  const results = useQueries({
    queries: pages.map((page) => ({ ...windowQuery(key, page), refetchInterval: refreshMs })),
  })
  for (const [nth, { data }] of results.entries()) if (data) rows.take(key, pages[nth] ?? 1, data)
  const isLoaded = rows.key === key
  return {
    rows,
    error: results.find(({ error }) => error !== null)?.error ?? null,
    isOld: !isLoaded,
    isEmpty: isLoaded && rows.total === 0,
    sortAgain() {
      rows.sortAgain()
      render()
    },
    startAgain() {
      rows.forgetOrder()
      render()
    },
  }
}
