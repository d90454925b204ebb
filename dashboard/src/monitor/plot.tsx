import { useCallback } from 'react'
import type uPlot from 'uplot'
import type { Series } from '../api/types.ts'
import { axesOf, drawTriangle, placeOf, RANK_SCALE, steppedLine, timeScale } from '../parts/plot/axes.ts'
import { CanvasPlot, type Paints } from '../parts/plot/canvas-plot.tsx'
import { crossingsOf } from './crossings.ts'
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

const PAINTS = {
  line: style['line'],
  range: style['range'],
  mark: style['mark'],
  band: style['band'],
  text: style['text'],
  grid: style['grid'],
  entered: style['entered'],
  left: style['left'],
}
type Painted = Paints<keyof typeof PAINTS>

/** A number over time. */
export function Plot({ series, isSearch, cursorAt, onPoint }: PlotProps) {
  const draw = useCallback(
    (paints: Painted) => ({
      options: optionsOf(series, paints),
      data: columnsOf(series, isSearch),
      point: paints.line,
    }),
    [series, isSearch],
  )
  return <CanvasPlot paints={PAINTS} cursorAt={cursorAt} draw={draw} onPoint={onPoint} />
}

function optionsOf(series: Series, paints: Painted) {
  const line = steppedLine()
  const isRank = series.field === 'rank'
  return {
    scales: { x: timeScale(series.from, series.to), y: isRank ? RANK_SCALE : {} },
    axes: axesOf({ paints, isRank }),
    series: [
      {},
      { ...line, stroke: paints.line, width: 1.6, spanGaps: false },
      { ...line, stroke: paints.range, width: 0 },
      { ...line, stroke: paints.range, width: 0 },
    ],
    bands: [{ series: [3, 2] as [number, number], fill: paints.range }],
    hooks: {
      drawClear: [(made: uPlot) => drawBands(made, series, paints)],
      draw: [(made: uPlot) => (isRank ? drawCrossings(made, series, paints) : drawMarks(made, series, paints))],
    },
  }
}

/** Fills the stretches of failed checks. One that is short is wide enough to be seen. */
function drawBands(plot: uPlot, { failures, to }: Series, { band }: Painted): void {
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
function drawMarks(plot: uPlot, { changes }: Series, { mark }: Painted): void {
  const { ctx, bbox } = plot
  ctx.save()
  ctx.fillStyle = mark
  for (const { at } of changes) drawTriangle(plot, { x: placeOf(plot, at), y: bbox.top + bbox.height })
  ctx.restore()
}

/** Draws where a site entered the results and where it left them. All other changes of a rank are in its line. */
function drawCrossings(plot: uPlot, series: Series, paints: Painted): void {
  const { ctx } = plot
  ctx.save()
  for (const { at, rank, kind } of crossingsOf(series.points)) {
    ctx.fillStyle = paints[kind]
    const y = plot.valToPos(rank, 'y', true)
    drawTriangle(plot, { x: placeOf(plot, at), y, isDown: kind === 'left' })
  }
  ctx.restore()
}
