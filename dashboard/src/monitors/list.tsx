import { lazy, Suspense, useCallback, useState } from 'react'
import { useLocation } from 'wouter'
import { Notice } from '../app/notice.tsx'
import { useTitle } from '../app/use-title.ts'
import { useWidth } from '../app/use-width.ts'
import { useWatched } from '../live/watched.ts'
import { createFocusKeeper } from '../parts/focus-keeper.ts'
import { Grid } from '../parts/grid.tsx'
import controls from '../style/controls.module.css'
import { cellsOf, COLUMNS, pathOf } from './cells.tsx'
import { Chosen } from './chosen.tsx'
import { FilterBar } from './filter-bar.tsx'
import { useFilters } from './filters.ts'
import style from './list.module.css'
import { NothingFound, NothingYet } from './nothing.tsx'
import type { OrderedRows } from './ordered-rows.ts'
import { useCounts } from './use-counts.ts'
import { useRows } from './use-rows.ts'
import { useSelection } from './use-selection.ts'

/** What actions ask for is loaded with the first of them. */
const AskedDialog = lazy(async () => ({ default: (await import('./asked-dialog.tsx')).AskedDialog }))

const ROW = 52
const CARD = 100
/** Below it the grid shows cards, by its style. */
const CARDS_BELOW = 730

/** Ids are watched by so many rows together: another stream begins for other ids, and a person scrolls by a few. */
const WATCHED_ROWS = 50

/** Returns the ids of the rows on the screen, and of some before and behind. */
function idsAround(rows: OrderedRows, { first, last }: { readonly first: number; readonly last: number }) {
  const from = first - (first % WATCHED_ROWS)
  const to = last + WATCHED_ROWS - (last % WATCHED_ROWS)
  return Array.from({ length: to - from }, (_, nth) => rows.at(from + nth)?.id ?? '')
}

/** All monitors of the team, pages and searches, in one list. */
export function MonitorList() {
  useTitle('Monitors')
  const [filters, change] = useFilters()
  const [shown, setShown] = useState({ first: 0, last: 0 })
  const onShown = useCallback((first: number, last: number) => setShown({ first, last }), [])
  const { rows, error, isOld, isEmpty, sortAgain, startAgain } = useRows(filters, shown.first, shown.last)
  const counts = useCounts(filters, !isOld)
  useWatched(idsAround(rows, shown))
  const selection = useSelection({ filters, rows, startAgain })
  const { chosen, choose } = selection
  const [, go] = useLocation()
  const [focus] = useState(createFocusKeeper)
  const isNarrow = useWidth() < CARDS_BELOW
  const hasFilters = Object.keys(filters).some((name) => name !== 'sort')
  return (
    <section className={style['list']} aria-label="Monitors">
      {!isEmpty && <h1 className={controls['unseen-by-eye']}>Monitors</h1>}
      <FilterBar filters={filters} counts={counts} onChange={change} />
      {error !== null && <Notice error={error} />}
      {isEmpty ? (
        hasFilters ? (
          <NothingFound />
        ) : (
          <NothingYet />
        )
      ) : (
        // Another list is shown from its top.
        <Grid
          key={rows.key}
          label="Monitors"
          columns={COLUMNS}
          count={rows.count}
          rowHeight={isNarrow ? CARD : ROW}
          isBusy={isOld}
          focus={focus}
          row={(index) => {
            const row = rows.at(index)
            if (!row) return null
            const isChosen = chosen.has(row.id)
            return { cells: cellsOf(row, isChosen, () => choose(index, false)), isChosen }
          }}
          onShown={onShown}
          onActive={selection.onActive}
          onOpen={(index) => {
            const row = rows.at(index)
            if (row) go(pathOf(row))
          }}
          onChoose={choose}
        />
      )}
      <footer className={style['foot']}>
        <Chosen selection={selection} total={isOld ? 0 : rows.total} hasFilters={hasFilters} />
        <span className={style['total']} role="status">
          {rows.moved > 0 && !isOld && (
            <button type="button" className={style['again']} onClick={sortAgain}>
              {rows.moved} moved: sort again
            </button>
          )}
          {isOld
            ? 'Loading…'
            : `${rows.total.toLocaleString('en')} of ${(counts?.total ?? rows.total).toLocaleString('en')}`}
        </span>
      </footer>
      {selection.asking && (
        <Suspense>
          <AskedDialog selection={selection} />
        </Suspense>
      )}
    </section>
  )
}
