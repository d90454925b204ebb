import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { ApiFault, ask, askTagged, type Tagged } from '../../api/client.ts'
import type { Monitor, SerpMonitorCreate } from '../../api/types.ts'
import type { Place } from '../../monitor/any-monitor.ts'
import { merged } from '../draft/merged.ts'
import { EditFrame } from '../edit-frame.tsx'
import { Conflict } from '../save/conflict.tsx'
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
  const [base, setBase] = useState(first)
  const [search, setSearch] = useState(() => asSaved(first))
  /** What somebody else stored since, beside what was to be stored here. */
  const [other, setOther] = useState<{ readonly stored: Tagged<Stored>; readonly mine: SerpMonitorCreate } | null>(null)
  const versions = other && { base: asSaved(base), stored: asSaved(other.stored), mine: other.mine }
  async function save(body: SerpMonitorCreate) {
    const patch = Object.fromEntries(changedKeys(body, asSaved(base)).map((key) => [key, body[key] ?? null]))
    try {
      await ask(path, { method: 'PATCH', body: patch, ifMatch: base.tag })
    } catch (fault) {
      const stored = fault instanceof ApiFault && fault.status === 409 ? await askTagged<Stored>(path) : null
      if (stored === null || stored.tag === base.tag) throw fault
      setOther({ stored, mine: body })
      return
    }
    await queries.invalidateQueries()
    go(home)
  }
  return (
    <>
      {other !== null && versions !== null && (
        <Conflict
          what="search"
          versions={versions}
          differing={changedKeys}
          onChoose={(theirs) => {
            setSearch(merged({ ...versions, theirs }, changedKeys))
            setBase(other.stored)
            setOther(null)
          }}
        />
      )}
      <SearchForm
        search={search}
        tag={base.tag}
        word="Save"
        onChange={setSearch}
        onSave={save}
        effectOf={(body) => effectOf(changedKeys(body, asSaved(base)))}
      />
    </>
  )
}

function effectOf(keys: readonly string[]): string | null {
  if (keys.length === 0) return 'Nothing is changed yet.'
  if (!SEARCHED.some((key) => keys.includes(key))) return null
  return 'Something else is searched for now: the next run compares nothing and fires nothing.'
}
