import { useQuery } from '@tanstack/react-query'
import { ask } from '../api/client.ts'
import { COLLECTIONS, type Changes, type Monitor, type Run, type SerpMonitor } from '../api/types.ts'

const RUNNING_MS = 2_000

/** A run of a monitor, by the addresses that the API has of them. */
export interface RunAddress {
  readonly kind: keyof typeof COLLECTIONS
  /** The id of the monitor. */
  readonly id: string
  readonly run: string
}

/** A page or a search. */
type AnyMonitor = Pick<Monitor, 'id' | 'name' | 'mute'> & Partial<Pick<SerpMonitor, 'target_domain' | 'engine'>>

export const monitorPath = ({ kind, id }: RunAddress): string => `/v1/${COLLECTIONS[kind]}/${encodeURIComponent(id)}`
export const runPath = (run: string): string => `/v1/runs/${encodeURIComponent(run)}`

/** Returns the run. One that is under way is asked for until it ends. */
export const useRun = (run: string) =>
  useQuery({
    queryKey: ['run', runPath(run)],
    queryFn: ({ signal }) => ask<Run>(runPath(run), { signal }),
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? RUNNING_MS : false),
  })

export function useMonitor(address: RunAddress) {
  const path = monitorPath(address)
  return useQuery({ queryKey: ['monitor', path], queryFn: ({ signal }) => ask<AnyMonitor>(path, { signal }) })
}

export type ListedChange = Changes['data'][number]

/** Returns what the list of changes says of a run: percents, why nothing was sent, and whether it is seen. */
export function useListedChange({ id, run }: RunAddress): ListedChange | null {
  const query = new URLSearchParams({ monitor_id: id, before: idAfter(run), limit: '1' })
  const { data } = useQuery({
    queryKey: ['changes', 'of', run],
    queryFn: ({ signal }) => ask<Changes>(`/v1/changes?${query}`, { signal }),
  })
  const [change] = data?.data ?? []
  return change?.run_id === run ? change : null
}

/** Returns the smallest id above this one. */
function idAfter(id: string): string {
  const digits = id.replaceAll('-', '')
  if (!/^[0-9a-f]{32}$/i.test(digits)) return id
  const hex = (BigInt(`0x${digits}`) + 1n).toString(16).padStart(32, '0')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** Returns the nearest runs of the monitor on both sides. Null: there is none, or it is not known yet. */
export function useNeighbours(address: RunAddress): { readonly older: Run | null; readonly newer: Run | null } {
  const path = `${monitorPath(address)}/runs?limit=1`
  const near = (side: 'before' | 'after') => ({
    queryKey: ['runs', path, side, address.run],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      ask<{ readonly data: readonly Run[] }>(`${path}&${side}=${encodeURIComponent(address.run)}`, { signal }),
  })
  const [older, newer] = [useQuery(near('before')), useQuery(near('after'))]
  return { older: older.data?.data[0] ?? null, newer: newer.data?.data[0] ?? null }
}
