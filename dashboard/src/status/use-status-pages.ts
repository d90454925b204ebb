import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ApiFault, ask } from '../api/client.ts'
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
function usePageAct<Wanted, Result>(act: (wanted: Wanted) => Promise<Result>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: act,
    onSettled: () => queries.invalidateQueries({ queryKey: PAGES }),
  })
}

interface Saved {
  /** As the form knows it: one that was changed since is not changed. Null: it is a new page. */
  readonly page: StatusPage | null
  readonly body: StatusPageBody
}

/** Saves a page. Its data is null, or the page as somebody else has changed it since: then nothing was saved. */
export const useSavePage = () =>
  usePageAct(async ({ page, body }: Saved): Promise<StatusPage | null> => {
    if (page === null) {
      await ask('/v1/status-pages', { method: 'POST', body })
      return null
    }
    try {
      await ask(`/v1/status-pages/${page.id}`, { method: 'PATCH', body, ifMatch: `"${page.updated_at}"` })
      return null
    } catch (fault) {
      // An address that is taken is a conflict too.
      if (!(fault instanceof ApiFault && fault.status === 409)) throw fault
      const { data } = await ask<StatusPages>('/v1/status-pages')
      const stored = data.find(({ id }) => id === page.id)
      if (stored === undefined || stored.updated_at === page.updated_at) throw fault
      return stored
    }
  })

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
