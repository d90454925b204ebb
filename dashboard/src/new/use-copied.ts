import { useQuery } from '@tanstack/react-query'
import { useSearch } from 'wouter'
import { ask } from '../api/client.ts'

interface Copied<Stored> {
  /** The id of the monitor that `?from=` names. Null: nothing is copied. */
  readonly from: string | null
  /** Its settings. Undefined: they are not known yet. */
  readonly stored: Stored | null | undefined
  readonly error: unknown
}

/** Reads the monitor that a new one begins with, once. `list`: the address of such monitors in the API. */
export function useCopied<Stored>(list: string): Copied<Stored> {
  const from = new URLSearchParams(useSearch()).get('from')
  const { data, error } = useQuery({
    queryKey: ['copied', list, from],
    queryFn: ({ signal }) => ask<Stored>(`${list}/${encodeURIComponent(from ?? '')}`, { signal }),
    enabled: from !== null,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })
  return { from, stored: from === null ? null : data, error }
}
