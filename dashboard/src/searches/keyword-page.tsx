import { keepPreviousData, useQueries } from '@tanstack/react-query'
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
import { RanksPart } from './ranks-part.tsx'
import style from './searches.module.css'
import { useKeyword } from './use-searches.ts'

/** How the ranks of all searches for a keyword went, beside each other. */
export function KeywordPage() {
  const [asked, change] = useAddress()
  const [keyword, range] = [asked.get('keyword') ?? '', asked.get('range') ?? '']
  useTitle(keyword === '' ? 'Searches' : keyword)
  const list = useKeyword(keyword)
  const rows = (list.groups ?? []).flatMap((group) => group.rows)
  useWatched(rows.map(({ id }) => id))
  return (
    <article className={style['page']}>
      <nav className={style['way']} aria-label="Where you are">
        <Link href="/searches">Searches</Link>
      </nav>
      <header className={style['head']}>
        <h1>
          <bdi>{keyword}</bdi>
        </h1>
        <Choice label="Time of the plot" value={range} choices={RANGES} onChoose={(next) => change({ range: next })} />
      </header>
      <EnginesLeftAlone />
      {list.error !== null && <Notice error={list.error} />}
      {list.groups === null && list.error === null && <p role="status">Loading…</p>}
      {list.groups?.length === 0 && (
        <p className={style['nothing']}>
          No search asks for exactly this. <Link href="/searches">Show all searches</Link>
        </p>
      )}
      {rows.length > 0 && <Ranks key={keyword} rows={rows} range={range} />}
      <MoreRows list={list}>
        {`Show more (${rows.length.toLocaleString('en')} of ${list.total.toLocaleString('en')})`}
      </MoreRows>
    </article>
  )
}

/** So many searches have a line at first. More are drawn as they are chosen. */
const LINES = 8

interface RanksProps {
  readonly rows: readonly SearchRow[]
  readonly range: string
}

function Ranks({ rows, range }: RanksProps) {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const ranked = rows.filter(({ search }) => search.target_domain !== null)
  const isDrawn = ({ id }: SearchRow) => ranked.slice(0, LINES).some((row) => row.id === id) !== toggled.has(id)
  const drawn = ranked.filter(isDrawn)
  const found = useSeries(drawn, range)
  const lines = drawn.flatMap((row, nth): RankLine[] => {
    const series = found[nth]?.data
    const tone = ranked.findIndex(({ id }) => id === row.id)
    return series ? [{ id: row.id, name: marketWords(row.search), tone, series }] : []
  })
  const error = found.find((one) => one.error !== null)?.error ?? null
  function toggle(id: string): void {
    const next = new Set(toggled)
    if (!next.delete(id)) next.add(id)
    setToggled(next)
  }
  return (
    <>
      {error !== null && <Notice error={error} />}
      <RanksPart rows={rows} lines={lines} isReading={found.some(({ isPending }) => isPending)} onToggle={toggle} />
      <section aria-label="Beside the results">
        {lines.map(({ id, name, series }) => (
          <Blocks key={id} name={name} series={series} row={rows.find((row) => row.id === id)} />
        ))}
      </section>
    </>
  )
}

const useSeries = (rows: readonly SearchRow[], range: string) =>
  useQueries({
    queries: rows.map((row) => ({
      queryKey: ['series', `/v1${pathOf(row)}`, range, ''],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        ask<Series>(`/v1${pathOf(row)}/series?${new URLSearchParams(queryOfRange(range))}`, { signal }),
      refetchInterval: refreshMs,
      placeholderData: keepPreviousData,
    })),
  })

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
