import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, lazy, Suspense, useState } from 'react'
import { Link } from 'wouter'
import { ask, serverNow } from '../api/client.ts'
import type { Series } from '../api/types.ts'
import { Notice } from '../app/notice.tsx'
import { refreshMs } from '../live/live-state.ts'
import { Choice } from '../parts/choice.tsx'
import controls from '../style/controls.module.css'
import tones from '../style/tones.module.css'
import type { Place } from './any-monitor.ts'
import style from './monitor.module.css'
import plotted from './plot-part.module.css'
import { inWords, nearestStop, stopsOf } from './series-view.ts'
import { useAddress } from './use-address.ts'

/**
 * The library of the plot formats numbers in the browser's language when it is loaded. A browser without a language of
 * its own says `en-US@posix`, which is not a language tag.
 */
async function loadPlot() {
  if (!isTag(navigator.language)) Object.defineProperty(navigator, 'language', { value: 'en' })
  return import('./plot.tsx')
}

function isTag(language: string): boolean {
  try {
    return Intl.getCanonicalLocales(language).length > 0
  } catch {
    return false
  }
}

const Plot = lazy(() =>
  loadPlot().then(
    ({ Plot: found }) => ({ default: found }),
    () => ({ default: Undrawn }),
  ),
)
const Undrawn = () => <p className={tones['soft']}>This browser cannot draw the plot. The table has its numbers.</p>

const RANGES = [
  ['7', '7 days'],
  ['', '30 days'],
  ['90', '90 days'],
  ['all', 'All'],
] as const
const DAY_MS = 86_400_000
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' })

/** Returns the beginning of a range as the API takes it. */
function beginningOf(range: string): string {
  if (range === 'all') return ''
  const days = range === '7' || range === '90' ? Number(range) : 30
  return new Date(serverNow() - days * DAY_MS).toISOString()
}

/** How a number of the monitor went: a plot, its numbers in words at a cursor, and a table of them. */
export function PlotPart({ place }: { readonly place: Place }) {
  const [asked, change] = useAddress()
  const [range, field] = [asked.get('range') ?? '', asked.get('field') ?? '']
  const { data: series, error } = useQuery({
    queryKey: ['series', place.path, range, field],
    queryFn({ signal }) {
      const from = beginningOf(range)
      const query = new URLSearchParams({ ...(field !== '' && { field }), ...(from !== '' && { from }) })
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
  // What is read again may have other stops: the cursor stays at its time.
  const at = chosen === null ? -1 : nearestStop(stops, chosen)
  const stop = stops[at]
  function onKey(event: KeyboardEvent): void {
    const from = at === -1 ? stops.length : at
    const steps: Readonly<Record<string, number>> = {
      ArrowLeft: from - 1,
      ArrowRight: at === -1 ? 0 : at + 1,
      Home: 0,
      End: stops.length - 1,
    }
    const to = steps[event.key]
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    setChosen(stops[Math.max(0, Math.min(stops.length - 1, to))]?.at ?? null)
  }
  if (stops.length === 0) return <p className={tones['soft']}>There are no numbers in this time.</p>
  const text = stop ? `${whole.format(stop.at)}: ${stop.text}` : 'The arrow keys read the plot.'
  return (
    <>
      <div
        role="slider"
        tabIndex={0}
        className={plotted['plot']}
        aria-label={`Plot of ${series.field ?? ''}`}
        aria-valuemin={0}
        aria-valuemax={stops.length - 1}
        aria-valuenow={Math.max(0, at)}
        aria-valuetext={text}
        onKeyDown={onKey}
      >
        <Suspense fallback={null}>
          <Plot series={series} isSearch={kind === 'serp'} cursorAt={stop?.at ?? null} onPoint={setChosen} />
        </Suspense>
      </div>
      <p className={plotted['cursor']}>
        <span aria-live="polite">{text}</span>
        {stop?.run && <Link href={`${home}/runs/${stop.run}`}>Open the run</Link>}
      </p>
      <Legend series={series} />
      <Numbers series={series} home={home} />
    </>
  )
}

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`

function Legend({ series: { changes, failures, from, known_from: known } }: { readonly series: Series }) {
  const count = changes.reduce((sum, change) => sum + change.count, 0)
  return (
    <p className={plotted['legend']}>
      <span className={plotted['mark']}>{counted(count, 'change')}</span>
      <span className={plotted['band']}>
        {counted(failures.length, 'stretch').replace('stretchs', 'stretches')} of failed checks
      </span>
      {known > from && <span>All is known from {whole.format(Date.parse(known))} on.</span>}
    </p>
  )
}

/** The same numbers as a table. */
const Numbers = ({ series: { field, points }, home }: { readonly series: Series; readonly home: string }) => (
  <details className={plotted['numbers']}>
    <summary>The numbers as a table</summary>
    <div className={plotted['scroll']} role="region" aria-label="Numbers">
      <table className={plotted['table']}>
        <thead>
          <tr>
            <th scope="col">From</th>
            <th scope="col">
              <bdi>{field}</bdi>
            </th>
            <th scope="col">Run</th>
          </tr>
        </thead>
        <tbody>
          {points.toReversed().map(({ at, value, min, max, run_id: run }) => (
            <tr key={`${at} ${run}`}>
              <td>{whole.format(Date.parse(at))}</td>
              <td>
                {inWords(field, value)}
                {min !== max && ` (${inWords(field, min)} to ${inWords(field, max)})`}
              </td>
              <td>{run === null ? 'before' : <Link href={`${home}/runs/${run}`}>Open</Link>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </details>
)
