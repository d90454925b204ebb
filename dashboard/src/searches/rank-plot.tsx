import { useCallback } from 'react'
import type uPlot from 'uplot'
import { crossingsOf } from '../monitor/crossings.ts'
import { axesOf, drawTriangle, placeOf, RANK_SCALE, steppedLine, timeScale } from '../parts/plot/axes.ts'
import { CanvasPlot, type Paints } from '../parts/plot/canvas-plot.tsx'
import { columnsOfLines, type RankLine, timeOf } from './rank-lines.ts'
import style from './rank-tones.module.css'
import { TONES } from './rank-tones.ts'

interface RankPlotProps {
  /** At least one. The array stays the same until something of it differs. */
  readonly lines: readonly RankLine[]
  readonly cursorAt: number | null
  onPoint(at: number): void
}

const PAINTS: Readonly<Record<string, string | undefined>> = {
  ...Object.fromEntries(TONES.map((_, nth) => [`line${nth}`, style[`line${nth}`]])),
  text: style['text'],
  grid: style['grid'],
}
type Painted = Paints<string>

/** The ranks of several searches over time, a line for each. */
export function RankPlot({ lines, cursorAt, onPoint }: RankPlotProps) {
  const draw = useCallback(
    (paints: Painted) => ({
      options: optionsOf(lines, paints),
      data: columnsOfLines(lines),
      point: paints['text'] ?? '',
    }),
    [lines],
  )
  return <CanvasPlot paints={PAINTS} cursorAt={cursorAt} draw={draw} onPoint={onPoint} />
}

const toneOf = (paints: Painted, tone: number): string => paints[`line${tone}`] ?? ''

function optionsOf(lines: readonly RankLine[], paints: Painted) {
  const line = steppedLine()
  const [from, to] = timeOf(lines)
  return {
    scales: { x: timeScale(from, to), y: RANK_SCALE },
    axes: axesOf({ paints: { text: paints['text'] ?? '', grid: paints['grid'] ?? '' }, isRank: true }),
    series: [
      {},
      ...lines.map(({ tone }) => ({
        ...line,
        stroke: toneOf(paints, tone),
        width: 1.8,
        dash: [...(TONES[tone] ?? [])],
        spanGaps: false,
      })),
    ],
    hooks: {
      drawClear: [(made: uPlot) => drawFailures(made, lines, paints)],
      draw: [(made: uPlot) => drawCrossings(made, lines, paints)],
    },
  }
}

/** The height of a mark of failed checks, in pixels. */
const MARK = 4

/** Marks at the lower edge, one above the other for the lines, when its checks failed. */
function drawFailures(plot: uPlot, lines: readonly RankLine[], paints: Painted): void {
  const { ctx, bbox } = plot
  const height = MARK * devicePixelRatio
  ctx.save()
  ctx.globalAlpha = 0.55
  for (const [nth, { series, tone }] of lines.entries()) {
    ctx.fillStyle = toneOf(paints, tone)
    for (const { from, to } of series.failures) {
      const [left, right] = [Math.max(bbox.left, placeOf(plot, from)), placeOf(plot, to ?? series.to)]
      ctx.fillRect(left, bbox.top + bbox.height - (nth + 1) * height, Math.max(2, right - left), height - 1)
    }
  }
  ctx.restore()
}

function drawCrossings(plot: uPlot, lines: readonly RankLine[], paints: Painted): void {
  const { ctx } = plot
  ctx.save()
  for (const { series, tone } of lines) {
    ctx.fillStyle = toneOf(paints, tone)
    for (const { at, rank, kind } of crossingsOf(series.points))
      drawTriangle(plot, { x: placeOf(plot, at), y: plot.valToPos(rank, 'y', true), isDown: kind === 'left' })
  }
  ctx.restore()
}
