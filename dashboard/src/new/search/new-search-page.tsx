import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { ask } from '../../api/client.ts'
import type { SerpMonitorCreate } from '../../api/types.ts'
import { Notice } from '../../app/notice.tsx'
import { useTitle } from '../../app/use-title.ts'
import { copyName } from '../draft/copy-name.ts'
import style from '../new.module.css'
import { useCopied } from '../use-copied.ts'
import { EMPTY_SEARCH, searchOf } from './search-draft.ts'
import { SearchForm } from './search-form.tsx'

/** A new search, or one with the settings of the search that `?from=` names. It only reads: a link may lead here. */
export function NewSearchPage() {
  useTitle('New search')
  const [, go] = useLocation()
  const queries = useQueryClient()
  const { from, stored, error } = useCopied<SerpMonitorCreate>('/v1/serp-monitors')
  const first = stored === null ? EMPTY_SEARCH : stored && copyOf(stored)
  async function save(body: SerpMonitorCreate) {
    const made = await ask<{ readonly id: string }>('/v1/serp-monitors', { method: 'POST', body })
    await queries.invalidateQueries()
    go(`/serp-monitors/${encodeURIComponent(made.id)}`)
  }
  return (
    <article className={style['screen']}>
      <nav className={style['way']} aria-label="Where you are">
        <Link href="/">Monitors</Link> / <Link href="/new">New monitor</Link>
      </nav>
      <h1>New search</h1>
      {error !== null && <Notice error={error} />}
      {first === undefined && error === null && <p role="status">Loading…</p>}
      {first !== undefined && <NewSearchForm key={from} first={first} onSave={save} />}
    </article>
  )
}

interface NewSearchFormProps {
  readonly first: SerpMonitorCreate
  onSave(body: SerpMonitorCreate): Promise<void>
}

function NewSearchForm({ first, onSave }: NewSearchFormProps) {
  const [search, setSearch] = useState(first)
  return <SearchForm search={search} word="Watch it" onChange={setSearch} onSave={onSave} />
}

/** Returns the settings of a copy. A key by which others know the search stays with the first one. */
const copyOf = (stored: SerpMonitorCreate): SerpMonitorCreate =>
  searchOf({ ...stored, external_key: null, name: copyName(stored.name) })
