import { Suspense, useMemo, useState } from 'react'
import { Link } from 'wouter'
import { inWords } from '../monitor/series-view.ts'
import { pathOf } from '../monitors/cells.tsx'
import { minuteFormat, percentFormat } from '../parts/formats.ts'
import { lazyPlot } from '../parts/plot/lazy-plot.tsx'
import { nearestOf } from '../parts/plot/nearest.ts'
import { PlotReader } from '../parts/plot/plot-reader.tsx'
import tones from '../style/tones.module.css'
import type { SearchRow } from './by-keyword.ts'
import { marketWords } from './market-words.ts'
import { type RankLine, rankAt, stopsOfLines } from './rank-lines.ts'
import colour from './rank-tones.module.css'
import { TONES } from './rank-tones.ts'
import style from './searches.module.css'

const RankPlot = lazyPlot(async () => (await import('./rank-plot.tsx')).RankPlot)

interface RanksPartProps {
  /** All searches for the keyword. */
  readonly rows: readonly SearchRow[]
  /** Those that are drawn, as far as they are read. */
  readonly lines: readonly RankLine[]
  /** The ids of those that are to be drawn, at the place of their look. Null: the place is free. */
  readonly chosen: readonly (string | null)[]
  readonly isReading: boolean
  onToggle(id: string): void
}

/** The plot of the ranks, and a table that is its legend and has its numbers. */
export function RanksPart({ rows, lines, chosen: wanted, isReading, onToggle }: RanksPartProps) {
  const [chosen, setChosen] = useState<number | null>(null)
  // The plot is drawn anew for another array only.
  const key = JSON.stringify(
    lines.map(({ id, name, tone, series }) => [id, name, tone, series.from, series.to, series.points.at(-1)?.at]),
  )
  const drawn = useMemo(() => lines, [key]) // oxlint-disable-line react/exhaustive-deps
  const stops = useMemo(() => stopsOfLines(drawn), [drawn])
  const at = chosen === null ? -1 : nearestOf(stops, chosen)
  const instant = stops[at] ?? null
  const text =
    instant === null ? 'The arrow keys read the plot.' : `${minuteFormat.format(instant)}: ${ranksAt(lines, instant)}`
  return (
    <section aria-label="Ranks">
      {stops.length > 0 && (
        <>
          <PlotReader label="Plot of the ranks" stops={stops} at={at} text={text} onChoose={setChosen}>
            <Suspense fallback={null}>
              <RankPlot lines={drawn} cursorAt={instant} onPoint={setChosen} />
            </Suspense>
          </PlotReader>
          <p className={style['cursor']}>{instant === null ? text : minuteFormat.format(instant)}</p>
        </>
      )}
      {stops.length === 0 && (
        <p className={tones['soft']}>{isReading ? 'Loading…' : 'There are no ranks to draw in this time.'}</p>
      )}
      <RanksTable rows={rows} lines={lines} chosen={wanted} instant={instant} onToggle={onToggle} />
    </section>
  )
}

/** Returns the rank of each search at an instant, in words. */
const ranksAt = (lines: readonly RankLine[], instant: number): string =>
  lines.map(({ name, series }) => `${name} ${rankAt(series, instant)}`).join('; ')

interface RanksTableProps extends Pick<RanksPartProps, 'rows' | 'lines' | 'chosen' | 'onToggle'> {
  /** What the cursor is at. */
  readonly instant: number | null
}

const RanksTable = ({ rows, lines, chosen, instant, onToggle }: RanksTableProps) => (
  <div className={style['scroll']} role="region" aria-label="Searches for this keyword">
    <table className={style['table']}>
      <thead>
        <tr>
          {['Search', 'Site', 'Now', 'At the cursor', 'Best', 'Worst', 'Mean', 'Listed', 'Runs a check'].map((word) => (
            <th key={word} scope="col">
              {word}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <RankRow
            key={row.id}
            row={row}
            line={lines.find(({ id }) => id === row.id)}
            tone={chosen.indexOf(row.id)}
            refused={refusalOf(row, chosen)}
            instant={instant}
            onToggle={() => onToggle(row.id)}
          />
        ))}
      </tbody>
    </table>
  </div>
)

/** Returns why a search cannot be drawn. Null: it can. */
function refusalOf({ id, search }: SearchRow, chosen: RanksPartProps['chosen']): string | null {
  if (search.target_domain === null) return 'It watches no site, so it has no rank.'
  if (chosen.includes(id) || chosen.includes(null)) return null
  return `${chosen.length} are drawn. Leave one of them to draw this one.`
}

interface RankRowProps {
  readonly row: SearchRow
  /** Undefined: it is not drawn, or not read yet. */
  readonly line: RankLine | undefined
  /** The look of its line. Negative: it is not drawn. */
  readonly tone: number
  /** Why it cannot be drawn. */
  readonly refused: string | null
  readonly instant: number | null
  onToggle(): void
}

function RankRow({ row, line, tone, refused, instant, onToggle }: RankRowProps) {
  const { target_domain: target, pages } = row.search
  const summary = line?.series.summary ?? null
  const name = marketWords(row.search)
  return (
    <tr>
      <th scope="row">
        <label className={style['line']} title={refused ?? undefined}>
          <input
            type="checkbox"
            checked={tone >= 0}
            disabled={refused !== null}
            aria-label={`Draw ${name}`}
            onChange={onToggle}
          />
          <Swatch tone={tone} />
        </label>
        <Link href={pathOf(row)}>{name}</Link>
      </th>
      <td>
        <bdi>{target ?? 'none is watched'}</bdi>
      </td>
      <td>{row.value === null ? '–' : <b>{row.value.text}</b>}</td>
      <td>{line === undefined || instant === null ? '' : rankAt(line.series, instant)}</td>
      <td>{summary && inWords('rank', summary.least)}</td>
      <td>{summary && inWords('rank', summary.most)}</td>
      <td>{summary && summary.mean.toFixed(1)}</td>
      <td>{summary && percentFormat.format(summary.share)}</td>
      <td>{pages}</td>
    </tr>
  )
}

/** How the line of a search looks. */
const Swatch = ({ tone }: { readonly tone: number }) => (
  <svg width="24" height="8" aria-hidden="true" className={colour[`line${tone}`]}>
    {tone >= 0 && (
      <line
        x1="0"
        x2="24"
        y1="4"
        y2="4"
        stroke="currentColor"
        strokeWidth="2"
        strokeDasharray={TONES[tone]?.join(' ')}
      />
    )}
  </svg>
)
