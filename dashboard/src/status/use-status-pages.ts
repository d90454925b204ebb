import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ask } from '../api/client.ts'
import type { StatusPages } from '../api/types.ts'
import type { StatusPage, StatusPageBody } from './draft.ts'

const PAGES = ['status-pages']

/** Reads the status pages of the team, the oldest first. */
export const useStatusPages = () =>
  useQuery({
    queryKey: PAGES,
    queryFn: async ({ signal }) => (await ask<StatusPages>('/v1/status-pages', { signal })).data,
  })

/** Asks for something about status pages, and reads their list again, whatever the answer. */
function usePageAct<Wanted>(act: (wanted: Wanted) => Promise<unknown>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: act,
    onSettled: () => queries.invalidateQueries({ queryKey: PAGES }),
  })
}

interface Saved {
  /** Null: it is a new page. */
  readonly id: string | null
  readonly body: StatusPageBody
}

export const useSavePage = () =>
  usePageAct(({ id, body }: Saved) =>
    id === null
      ? ask<StatusPage>('/v1/status-pages', { method: 'POST', body })
      : ask<StatusPage>(`/v1/status-pages/${id}`, { method: 'PATCH', body }),
  )

interface Publishing {
  /** As it is shown: one that was changed since is not published. */
  readonly page: StatusPage
  readonly isPublished: boolean
}

export const usePublish = () =>
  usePageAct(({ page: { id, updated_at }, isPublished }: Publishing) =>
    isPublished
      ? ask<StatusPage>(`/v1/status-pages/${id}/publish`, { method: 'POST', body: { updated_at } })
      : ask<StatusPage>(`/v1/status-pages/${id}/unpublish`, { method: 'POST' }),
  )

export const useDeletePage = () => usePageAct((id: string) => ask(`/v1/status-pages/${id}`, { method: 'DELETE' }))
