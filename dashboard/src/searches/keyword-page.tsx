import { useQueries, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { ask } from '../api/client.ts'
import type { Series } from '../api/types.ts'
import { Notice } from '../app/notice.tsx'
import { useTitle } from '../app/use-title.ts'
import { refreshMs } from '../live/live-state.ts'
import { useWatched } from '../live/watched.ts'
import { useAddress } from '../monitor/use-address.ts'
import { pathOf } from '../monitors/cells.tsx'
import { Choice } from '../parts/choice.tsx'
import { MoreRows } from '../parts/more-rows.tsx'
import { queryOfRange, RANGES } from '../parts/plot/ranges.ts'
import { BlockStrips } from './block-strips.tsx'
import type { SearchRow } from './by-keyword.ts'
import { EnginesLeftAlone } from './engines-left-alone.tsx'
import { marketWords } from './market-words.ts'
import type { RankLine } from './rank-lines.ts'
import { TONES } from './rank-tones.ts'
import { RanksPart } from './ranks-part.tsx'
import style from './searches.module.css'
import { useKeyword } from './use-searches.ts'

/** How the ranks of all searches for a keyword went, beside each other. */
export function KeywordPage() {
  const [asked] = useAddress()
  const keyword = asked.get('keyword') ?? ''
  useTitle(keyword === '' ? 'Searches' : keyword)
  return (
    <article className={style['page']}>
      <nav className={style['way']} aria-label="Where you are">
        <Link href="/searches">Searches</Link>
      </nav>
      {keyword === '' ? (
        <>
          <h1>Searches</h1>
          <Nothing>The address names no keyword.</Nothing>
        </>
      ) : (
        // What is shown of one keyword never stands under another one.
        <Keyword key={keyword} keyword={keyword} />
      )}
    </article>
  )
}

const Nothing = ({ children }: { readonly children: string }) => (
  <p className={style['nothing']}>
    {children} <Link href="/searches">Show all searches</Link>
  </p>
)

function Keyword({ keyword }: { readonly keyword: string }) {
  const [asked, change] = useAddress()
  const range = asked.get('range') ?? ''
  const list = useKeyword(keyword)
  const rows = (list.groups ?? []).flatMap((group) => group.rows)
  useWatched(rows.map(({ id }) => id))
  return (
    <>
      <header className={style['head']}>
        <h1>
          <bdi>{keyword}</bdi>
        </h1>
        <Choice label="Time of the plot" value={range} choices={RANGES} onChoose={(next) => change({ range: next })} />
      </header>
      <EnginesLeftAlone />
      {list.error !== null && <Notice error={list.error} />}
      {list.groups === null && list.error === null && <p role="status">Loading…</p>}
      {list.groups?.length === 0 && <Nothing>No search asks for exactly this.</Nothing>}
      {rows.length > 0 && <Ranks rows={rows} range={range} />}
      <MoreRows list={list}>
        {`Show more (${rows.length.toLocaleString('en')} of ${list.total.toLocaleString('en')})`}
      </MoreRows>
    </>
  )
}

interface RanksProps {
  readonly rows: readonly SearchRow[]
  readonly range: string
}

function Ranks({ rows, range }: RanksProps) {
  // A search keeps its look while others are chosen and left: the place is its look.
  const [chosen, setChosen] = useState<readonly (string | null)[]>(() => {
    const ranked = rows.filter(({ search }) => search.target_domain !== null)
    return TONES.map((_, nth) => ranked[nth]?.id ?? null)
  })
  const drawn = rows.filter(({ id }) => chosen.includes(id))
  const found = useSeries(drawn, range)
  const lines = drawn.flatMap((row, nth): RankLine[] => {
    const series = found[nth]?.data
    return series ? [{ id: row.id, name: marketWords(row.search), tone: chosen.indexOf(row.id), series }] : []
  })
  const error = found.find((one) => one.error !== null)?.error ?? null
  function toggle(id: string): void {
    const place = chosen.includes(id) ? chosen.indexOf(id) : chosen.indexOf(null)
    if (place >= 0) setChosen(chosen.with(place, chosen.includes(id) ? null : id))
  }
  return (
    <>
      {error !== null && <Notice error={error} />}
      <RanksPart
        rows={rows}
        lines={lines}
        chosen={chosen}
        isReading={found.some(({ isPending }) => isPending)}
        onToggle={toggle}
      />
      <section aria-label="Beside the results">
        {lines.map(({ id, name, series }) => (
          <Blocks key={id} name={name} series={series} row={rows.find((row) => row.id === id)} />
        ))}
      </section>
    </>
  )
}

const keyOf = (row: SearchRow, range: string) => ['series', `/v1${pathOf(row)}`, range, 'rank']

/** Reads the ranks of searches. Those of the range before are shown until those of another one arrive. */
function useSeries(rows: readonly SearchRow[], range: string) {
  const queries = useQueryClient()
  const [ranges, setRanges] = useState({ now: range, before: range })
  if (ranges.now !== range) setRanges({ now: range, before: ranges.now })
  return useQueries({
    queries: rows.map((row) => ({
      queryKey: keyOf(row, range),
      queryFn({ signal }: { readonly signal: AbortSignal }) {
        const query = new URLSearchParams({ field: 'rank', ...queryOfRange(range) })
        return ask<Series>(`/v1${pathOf(row)}/series?${query}`, { signal })
      },
      refetchInterval: refreshMs,
      placeholderData: () => queries.getQueryData<Series>(keyOf(row, ranges.before)),
    })),
  })
}

interface BlocksProps {
  readonly name: string
  readonly series: Series
  readonly row: SearchRow | undefined
}

const Blocks = ({ name, series, row }: BlocksProps) =>
  row !== undefined &&
  (series.blocks ?? []).length > 0 && (
    <div className={style['blocks']}>
      <h2>{name}</h2>
      <BlockStrips series={series} home={pathOf(row)} />
    </div>
  )
