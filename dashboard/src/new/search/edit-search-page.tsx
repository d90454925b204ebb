import { useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { ask } from '../../api/client.ts'
import type { Monitor, SerpMonitorCreate } from '../../api/types.ts'
import { EditFrame } from '../edit-frame.tsx'
import { changedKeys, searchOf } from './search-draft.ts'
import { SearchForm } from './search-form.tsx'

type Stored = SerpMonitorCreate & Pick<Monitor, 'managed_by' | 'declared_in'>

/** What is searched for. Another value of it makes the next run the first one of a series. */
const OF_BASELINE = [
  'keyword',
  'engine',
  'location_code',
  'language_code',
  'device',
  'pages',
  'mode',
  'target_domain',
] as const

/** An edit of a search, in the form in which one is made. */
export function EditSearchPage({ id }: { readonly id: string }) {
  const [, go] = useLocation()
  const queries = useQueryClient()
  return (
    <EditFrame<Stored> kind="serp" id={id}>
      {({ body: stored, tag }, { path, home }) => {
        const base = searchOf(stored)
        async function save(body: SerpMonitorCreate) {
          const patch = Object.fromEntries(changedKeys(body, base).map((key) => [key, body[key] ?? null]))
          await ask(path, { method: 'PATCH', body: patch, ifMatch: tag })
          await queries.invalidateQueries()
          go(home)
        }
        return <SearchForm first={base} word="Save" onSave={save} effectOf={(body) => effectOf(body, base)} />
      }}
    </EditFrame>
  )
}

function effectOf(body: SerpMonitorCreate, base: SerpMonitorCreate): string | null {
  const keys = changedKeys(body, base)
  if (keys.length === 0) return 'Nothing is changed yet.'
  if (!OF_BASELINE.some((key) => keys.includes(key))) return null
  return 'Something else is searched for now: the next run compares nothing and fires nothing.'
}
