import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ask } from '../api/client.ts'
import { LIMITS, type Overview, type StatusPages } from '../api/types.ts'
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
  /** As the form began with it: one that was changed since is not changed. Null: it is a new page. */
  readonly page: StatusPage | null
  readonly body: StatusPageBody
}

export const useSavePage = () =>
  usePageAct(({ page, body }: Saved) =>
    page === null
      ? ask<StatusPage>('/v1/status-pages', { method: 'POST', body })
      : ask<StatusPage>(`/v1/status-pages/${page.id}`, { method: 'PATCH', body, ifMatch: `"${page.updated_at}"` }),
  )

/** The monitors that a label brings now. */
interface Labelled {
  /** The first of them, by name. */
  readonly names: readonly string[]
  readonly total: number
}

/** Reads the monitors that have a label, as `key=value`. Null: it is none, and nothing is read. */
export const useLabelled = (label: string | null) =>
  useQuery({
    queryKey: ['overview', 'labelled', label],
    queryFn: async ({ signal }): Promise<Labelled> => {
      const query = new URLSearchParams({ label: label ?? '', sort: 'name', limit: String(LIMITS.rows) })
      const { data, pagination } = await ask<Overview>(`/v1/overview?${query}`, { signal })
      return { names: data.map(({ name }) => name), total: pagination.total }
    },
    enabled: label !== null,
  })

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

export const useDeletePage = () =>
  usePageAct(({ id, updated_at }: StatusPage) =>
    ask(`/v1/status-pages/${id}`, { method: 'DELETE', ifMatch: `"${updated_at}"` }),
  )
