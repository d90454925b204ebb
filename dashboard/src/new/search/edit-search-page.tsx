import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { ApiFault, ask, askTagged, type Tagged } from '../../api/client.ts'
import type { Monitor, SerpMonitorCreate } from '../../api/types.ts'
import type { Place } from '../../monitor/any-monitor.ts'
import { EditFrame } from '../edit-frame.tsx'
import { changedKeys, SEARCHED, searchBody, searchOf } from './search-draft.ts'
import { SearchForm } from './search-form.tsx'

type Stored = SerpMonitorCreate & Pick<Monitor, 'managed_by' | 'declared_in'>

/** An edit of a search, in the form in which one is made. */
export const EditSearchPage = ({ id }: { readonly id: string }) => (
  <EditFrame<Stored> kind="serp" id={id}>
    {(first, place) => <EditSearchForm first={first} place={place} />}
  </EditFrame>
)

interface EditSearchFormProps {
  readonly first: Tagged<Stored>
  readonly place: Place
}

/** Returns a stored search as this form would store it, so that only what a person changes differs. */
const asSaved = ({ body }: Tagged<Stored>): SerpMonitorCreate => searchBody(searchOf(body), body.name)

function EditSearchForm({ first, place: { path, home } }: EditSearchFormProps) {
  const [, go] = useLocation()
  const queries = useQueryClient()
  const [stored, setStored] = useState(first)
  const mineOf = (body: SerpMonitorCreate) => changedKeys(body, asSaved(first))
  async function save(body: SerpMonitorCreate) {
    const mine = mineOf(body)
    const patch = Object.fromEntries(mine.map((key) => [key, body[key] ?? null]))
    try {
      await ask(path, { method: 'PATCH', body: patch, ifMatch: stored.tag })
    } catch (fault) {
      const now = fault instanceof ApiFault && fault.status === 409 ? await askTagged<Stored>(path) : null
      if (now === null || now.tag === stored.tag) throw fault
      setStored(now)
      const both = changedKeys(asSaved(now), asSaved(stored)).filter((key) => mine.includes(key))
      if (both.length > 0) throw disputed(both)
      await ask(path, { method: 'PATCH', body: patch, ifMatch: now.tag })
    }
    await queries.invalidateQueries()
    go(home)
  }
  return <SearchForm first={asSaved(first)} word="Save" onSave={save} effectOf={(body) => effectOf(mineOf(body))} />
}

const disputed = (keys: readonly string[]): ApiFault =>
  new ApiFault(
    `Somebody else changed ${keys.map((key) => key.replaceAll('_', ' ')).join(', ')} after you read it. ` +
      'Nothing was saved. Save again to store yours.',
    409,
  )

function effectOf(keys: readonly string[]): string | null {
  if (keys.length === 0) return 'Nothing is changed yet.'
  if (!SEARCHED.some((key) => keys.includes(key))) return null
  return 'Something else is searched for now: the next run compares nothing and fires nothing.'
}
