import { useRef } from 'react'
import { Link } from 'wouter'
import { Notice } from '../app/notice.tsx'
import { useTitle } from '../app/use-title.ts'
import { useWatched } from '../live/watched.ts'
import { Chips } from '../parts/chips.tsx'
import filterBar from '../parts/filter-bar.module.css'
import { MoreRows } from '../parts/more-rows.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { useFocusedRow } from '../parts/use-focused-row.ts'
import { useShortcut } from '../parts/use-shortcut.ts'
import controls from '../style/controls.module.css'
import { EnginesLeftAlone } from './engines-left-alone.tsx'
import { KeywordSection } from './keyword-section.tsx'
import { type SearchFilters, useFilters } from './search-filters.ts'
import style from './searches.module.css'
import { useSearchCounts, useSearches } from './use-searches.ts'

/** Where the team's sites stand in search results, by keyword. */
export function SearchesPage() {
  useTitle('Searches')
  const [filters, change] = useFilters()
  const counts = useSearchCounts(filters)
  const list = useSearches(filters)
  const groups = list.groups ?? []
  const rows = groups.flatMap((group) => group.rows)
  useWatched(rows.slice(0, WATCHED).map(({ id }) => id))
  const lists = useRef<HTMLDivElement>(null)
  const focused = useFocusedRow(lists, rows, ({ id }) => id)
  useShortcut('searches', 'j', () => focused.move(1))
  useShortcut('searches', 'k', () => focused.move(-1))
  return (
    <section className={style['page']} aria-label="Searches">
      <header className={style['head']}>
        <h1>Searches</h1>
        <Link href="/new/search" className={`${controls['button']} ${controls['main']}`}>
          New search
        </Link>
      </header>
      <EnginesLeftAlone />
      <div className={filterBar['bar']}>
        <Chips
          chips={[
            { id: 'all', word: 'All', count: counts?.total },
            { id: 'unseen', word: 'Changed', count: counts?.unseen },
            { id: 'failing', word: 'Failing', count: counts?.failing, isBad: true },
          ]}
          chosen={chosenOf(filters)}
          onChoose={(id) => change({ unseen: id === 'unseen' ? 'true' : '', failing: id === 'failing' ? 'true' : '' })}
        />
        <div className={filterBar['fields']}>
          <SearchField
            place="searches"
            label="Search keywords and names"
            text={filters.q ?? ''}
            onChange={(q) => change({ q })}
          />
        </div>
      </div>
      {list.error !== null && <Notice error={list.error} />}
      {list.groups === null && list.error === null && <p role="status">Loading…</p>}
      {list.groups?.length === 0 && <Nothing hasFilters={Object.keys(filters).length > 0} />}
      <div ref={lists} className={style['groups']}>
        {groups.map((group) => (
          <KeywordSection key={group.keyword} group={group} />
        ))}
      </div>
      <MoreRows list={list}>
        {`Show more (${rows.length.toLocaleString('en')} of ${list.total.toLocaleString('en')})`}
      </MoreRows>
    </section>
  )
}

/** The first ones are kept up to date as things happen, all others as the list is read again. */
const WATCHED = 100

const chosenOf = ({ unseen, failing }: SearchFilters) =>
  unseen === 'true' ? 'unseen' : failing === 'true' ? 'failing' : 'all'

const Nothing = ({ hasFilters }: { readonly hasFilters: boolean }) =>
  hasFilters ? (
    <p className={style['nothing']}>
      No search is like that. <Link href="/searches">Show all searches</Link>
    </p>
  ) : (
    <p className={style['nothing']}>
      There are no searches yet. A search tells where your site stands in the results of Google, Bing, Yahoo, DuckDuckGo
      or Yandex, and when it moves. <Link href="/new/search">Make the first one</Link>
    </p>
  )
