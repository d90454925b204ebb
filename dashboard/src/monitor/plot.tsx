import { useEffect, useRef, useSyncExternalStore } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { Series } from '../api/types.ts'
import style from './plot.module.css'
import { columnsOf } from './series-view.ts'

interface PlotProps {
  readonly series: Series
  /** Of a search: the first place is at the top, and failed checks are gaps. */
  readonly isSearch: boolean
  /** Where the cursor is, in milliseconds. Null: nowhere. */
  readonly cursorAt: number | null
  onPoint(at: number): void
}

const HEIGHT = 220
const dark = matchMedia('(prefers-color-scheme: dark)')

/** Calls when the colours become others: by the theme, or by the system. */
function onTheme(render: () => void): () => void {
  const watch = new MutationObserver(render)
  watch.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  dark.addEventListener('change', render)
  return () => {
    watch.disconnect()
    dark.removeEventListener('change', render)
  }
}
const themeNow = (): string => `${document.documentElement.dataset['theme'] ?? ''} ${dark.matches}`

/** A plot for the eye. What it shows is beside it in words, and in a table. */
export function Plot({ series, isSearch, cursorAt, onPoint }: PlotProps) {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const point = useRef(onPoint)
  const theme = useSyncExternalStore(onTheme, themeNow)
  useEffect(() => {
    point.current = onPoint
  })
  useEffect(() => {
    const at = box.current
    if (at === null) return
    const made = new uPlot(
      optionsOf({ series, box: at, onPoint: (instant) => point.current(instant) }),
      columnsOf(series, isSearch),
      at,
    )
    plot.current = made
    const watch = new ResizeObserver(() => made.setSize({ width: at.clientWidth, height: HEIGHT }))
    watch.observe(at)
    return () => {
      watch.disconnect()
      made.destroy()
      plot.current = null
    }
  }, [series, isSearch, theme])
  useEffect(() => {
    const made = plot.current
    if (made === null || cursorAt === null) return
    const left = made.valToPos(cursorAt / 1000, 'x')
    made.setCursor({ left, top: 10 }, false)
  }, [cursorAt, series, theme])
  return (
    <div ref={box} className={style['plot']} aria-hidden="true">
      {PAINTS.map((name) => (
        <span key={name} hidden className={style[name]} data-paint={name} />
      ))}
    </div>
  )
}

const PAINTS = ['line', 'range', 'mark', 'band', 'text', 'grid'] as const
type Paints = Readonly<Record<(typeof PAINTS)[number], string>>

/** A canvas takes no properties of a style sheet, so the colours are those of elements that have them. */
function paintsOf(box: HTMLElement): Paints {
  const paintOf = (name: string) => {
    const element = box.querySelector(`[data-paint="${name}"]`)
    return element === null ? '' : getComputedStyle(element).color
  }
  return Object.fromEntries(PAINTS.map((name) => [name, paintOf(name)])) as Paints
}

interface Drawn extends Pick<PlotProps, 'series' | 'onPoint'> {
  readonly box: HTMLElement
}

function optionsOf({ series, box, onPoint }: Drawn): uPlot.Options {
  const paints = paintsOf(box)
  const stepped = uPlot.paths.stepped?.({ align: 1 })
  const line = { ...(stepped && { paths: stepped }), points: { show: false } }
  const axis = { stroke: paints.text, grid: { stroke: paints.grid, width: 1 }, ticks: { show: false } }
  const isRank = series.field === 'rank'
  return {
    width: box.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7, fill: paints.line } },
    scales: {
      x: { range: [Date.parse(series.from) / 1000, Date.parse(series.to) / 1000] },
      y: isRank ? { dir: -1, range: (_, least, most) => [Math.max(0.5, least - 0.5), most + 0.5] } : {},
    },
    axes: [
      { ...axis, size: 34, values: times },
      { ...axis, size: 60, ...(isRank && { incrs: [1, 2, 5, 10, 20, 50], values: ranks }) },
    ],
    series: [
      {},
      { ...line, stroke: paints.line, width: 1.6, spanGaps: false },
      { ...line, stroke: paints.range, width: 0 },
      { ...line, stroke: paints.range, width: 0 },
    ],
    bands: [{ series: [3, 2], fill: paints.range }],
    hooks: {
      drawClear: [(made) => drawBands(made, series, paints)],
      draw: [(made) => drawMarks(made, series, paints)],
      ready: [
        (made) =>
          made.over.addEventListener('pointermove', (event) =>
            onPoint(made.posToVal(event.clientX - made.over.getBoundingClientRect().left, 'x') * 1000),
          ),
      ],
    },
  }
}

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const date = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })

/** Days as their dates, and the times between them. */
const times = (_: uPlot, seconds: number[]): string[] =>
  seconds.map((second) => {
    const at = new Date(second * 1000)
    return at.getHours() + at.getMinutes() === 0 ? date.format(at) : clock.format(at)
  })

const ranks = (_: uPlot, values: number[]): string[] =>
  values.map((value) => (Number.isInteger(value) ? `#${value}` : ''))

const placeOf = (plot: uPlot, instant: string): number => plot.valToPos(Date.parse(instant) / 1000, 'x', true)

/** Fills the stretches of failed checks. One that is short is wide enough to be seen. */
function drawBands(plot: uPlot, { failures, to }: Series, { band }: Paints): void {
  const { ctx, bbox } = plot
  ctx.save()
  ctx.fillStyle = band
  for (const { from, to: until } of failures) {
    const [left, right] = [Math.max(bbox.left, placeOf(plot, from)), placeOf(plot, until ?? to)]
    ctx.fillRect(left, bbox.top, Math.max(2, right - left), bbox.height)
  }
  ctx.restore()
}

/** Draws each change as a triangle at the lower edge. */
function drawMarks(plot: uPlot, { changes }: Series, { mark }: Paints): void {
  const { ctx, bbox } = plot
  const size = 4 * devicePixelRatio
  const bottom = bbox.top + bbox.height
  ctx.save()
  ctx.fillStyle = mark
  for (const { at } of changes) {
    const x = placeOf(plot, at)
    ctx.beginPath()
    ctx.moveTo(x, bottom - 2 * size)
    ctx.lineTo(x + size, bottom)
    ctx.lineTo(x - size, bottom)
    ctx.fill()
  }
  ctx.restore()
}
