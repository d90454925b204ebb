import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { ask } from '../api/client.ts'
import { COLLECTIONS, type Monitor } from '../api/types.ts'
import { usePermission } from '../app/use-me.ts'
import type { Entry } from './entry.ts'

const isKind = (text: string | undefined): boolean =>
  Object.values(COLLECTIONS).some((collection) => collection === text)

/** Returns what may be done with the monitor of the address. None: the screen shows another thing. */
export function useOpenMonitor(): readonly Entry[] {
  const [path] = useLocation()
  const queries = useQueryClient()
  const mayWrite = usePermission('monitors.write')
  const [, collection, id = ''] = path.split('/')
  const isOpen = isKind(collection) && id !== ''
  const route = `/v1/${collection}/${encodeURIComponent(id)}`
  const { data } = useQuery({
    queryKey: ['palette', route],
    queryFn: ({ signal }) => ask<Pick<Monitor, 'name' | 'status'>>(route, { signal }),
    enabled: isOpen,
  })
  if (!isOpen || !data) return []
  async function act(action: string) {
    await ask(`${route}/${action}`, { method: 'POST' }).catch(() => null)
    await queries.invalidateQueries()
  }
  const toggle = data.status === 'paused' ? (['resume', 'Resume'] as const) : (['pause', 'Pause'] as const)
  return [['run', 'Run now'] as const, toggle].map(([action, word]) => ({
    id: action,
    title: `${word}: ${data.name}`,
    note: '',
    refused: mayWrite ? null : 'Your role may only read.',
    act: () => void act(action),
  }))
}
