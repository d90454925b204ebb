import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { Link } from 'wouter'
import { ask } from '../api/client.ts'
import type { Series } from '../api/types.ts'
import { Notice } from '../app/notice.tsx'
import { refreshMs } from '../live/live-state.ts'
import { Choice } from '../parts/choice.tsx'
import { minuteFormat } from '../parts/formats.ts'
import { lazyPlot } from '../parts/plot/lazy-plot.tsx'
import { nearestOf } from '../parts/plot/nearest.ts'
import { PlotReader } from '../parts/plot/plot-reader.tsx'
import { queryOfRange, RANGES } from '../parts/plot/ranges.ts'
import { BlockStrips } from '../searches/block-strips.tsx'
import controls from '../style/controls.module.css'
import tones from '../style/tones.module.css'
import type { Place } from './any-monitor.ts'
import { crossingsOf } from './crossings.ts'
import style from './monitor.module.css'
import { NumbersTable } from './numbers-table.tsx'
import plotted from './plot-part.module.css'
import { stopsOf, summaryWords } from './series-view.ts'
import { useAddress } from './use-address.ts'

const Plot = lazyPlot(async () => (await import('./plot.tsx')).Plot)

/** How a number of the monitor went: a plot, its numbers in words at a cursor, and a table of them. */
export function PlotPart({ place }: { readonly place: Place }) {
  const [asked, change] = useAddress()
  const [range, field] = [asked.get('range') ?? '', asked.get('field') ?? '']
  const { data: series, error } = useQuery({
    queryKey: ['series', place.path, range, field],
    queryFn({ signal }) {
      const query = new URLSearchParams({ ...(field !== '' && { field }), ...queryOfRange(range) })
      return ask<Series>(`${place.path}/series?${query}`, { signal })
    },
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
  })
  if (error) return <Notice error={error} />
  if (!series) return <p role="status">Loading…</p>
  const fields = field === '' || series.fields.includes(field) ? series.fields : [...series.fields, field]
  if (fields.length === 0) return null
  return (
    <section aria-label="Plot" className={style['section']}>
      <div className={style['tools']}>
        <h2 className={style['part']}>
          {fields.length === 1 ? (
            <bdi>{series.field}</bdi>
          ) : (
            <select
              className={controls['select']}
              aria-label="Field of the plot"
              value={series.field ?? ''}
              onChange={(event) => change({ field: event.target.value })}
            >
              {fields.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
        </h2>
        <Choice label="Time of the plot" value={range} choices={RANGES} onChoose={(next) => change({ range: next })} />
      </div>
      <Shown series={series} place={place} />
    </section>
  )
}

/** The plot of a series, and what its cursor is at. */
function Shown({ series, place: { kind, home } }: { readonly series: Series; readonly place: Place }) {
  const stops = stopsOf(series)
  const [chosen, setChosen] = useState<number | null>(null)
  const instants = stops.map(({ at: instant }) => instant)
  // What is read again may have other stops: the cursor stays at its time.
  const at = chosen === null ? -1 : nearestOf(instants, chosen)
  const stop = stops[at]
  if (stops.length === 0) return <p className={tones['soft']}>There are no numbers in this time.</p>
  const text = stop ? `${minuteFormat.format(stop.at)}: ${stop.text}` : 'The arrow keys read the plot.'
  return (
    <>
      <PlotReader label={`Plot of ${series.field ?? ''}`} stops={instants} at={at} text={text} onChoose={setChosen}>
        <Suspense fallback={null}>
          <Plot series={series} isSearch={kind === 'serp'} cursorAt={stop?.at ?? null} onPoint={setChosen} />
        </Suspense>
      </PlotReader>
      <p className={plotted['cursor']}>
        <span aria-live="polite">{text}</span>
        {stop?.run && <Link href={`${home}/runs/${stop.run}`}>Open the run</Link>}
      </p>
      <Summary series={series} />
      <Legend series={series} />
      <BlockStrips series={series} home={home} />
      <NumbersTable series={series} home={home} />
    </>
  )
}

/** The numbers of the time that is shown, in short. */
const Summary = ({ series }: { readonly series: Series }) =>
  series.summary !== null && (
    <p className={plotted['summary']}>
      {summaryWords(series).map((words) => (
        <span key={words}>{words}</span>
      ))}
    </p>
  )

const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

function Legend({
  series: { field, points, changes, failures, from, known_from: known },
}: {
  readonly series: Series
}) {
  const crossings = field === 'rank' ? crossingsOf(points) : null
  const count = changes.reduce((sum, change) => sum + change.count, 0)
  const times = (kind: 'entered' | 'left') =>
    counted(crossings?.filter((crossing) => crossing.kind === kind).length ?? 0, 'time')
  return (
    <p className={plotted['legend']}>
      {crossings === null ? (
        <span className={plotted['mark']}>{counted(count, 'change')}</span>
      ) : (
        <>
          <span className={plotted['entered']}>entered the results {times('entered')}</span>
          <span className={plotted['left']}>left them {times('left')}</span>
        </>
      )}
      <span className={plotted['band']}>{counted(failures.length, 'stretch', 'stretches')} of failed checks</span>
      {known > from && <span>All is known from {minuteFormat.format(Date.parse(known))} on.</span>}
    </p>
  )
}
