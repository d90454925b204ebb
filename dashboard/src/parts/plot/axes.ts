import uPlot from 'uplot'

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

interface Axes {
  readonly paints: { readonly text: string; readonly grid: string }
  /** The numbers are ranks: the first place is at the top. */
  readonly isRank: boolean
}

/** Returns the axes of a plot of numbers over time. */
export function axesOf({ paints, isRank }: Axes): uPlot.Axis[] {
  const axis = { stroke: paints.text, grid: { stroke: paints.grid, width: 1 }, ticks: { show: false } }
  return [
    { ...axis, size: 34, values: times },
    { ...axis, size: 60, ...(isRank && { incrs: [1, 2, 5, 10, 20, 50], values: ranks }) },
  ]
}

/** Returns the scale of ranks, over the range that was seen. */
export const RANK_SCALE: uPlot.Scale = {
  dir: -1,
  range: (_, least, most) => [Math.max(0.5, least - 0.5), most + 0.5],
}

/** Returns the scale of the time between two instants. */
export const timeScale = (from: string, to: string): uPlot.Scale => ({
  range: [Date.parse(from) / 1000, Date.parse(to) / 1000],
})

/** Returns the place of an instant on the canvas. */
export const placeOf = (plot: uPlot, instant: string): number => plot.valToPos(Date.parse(instant) / 1000, 'x', true)

/** Returns how a line is drawn whose value holds until the next one. */
export function steppedLine(): uPlot.Series {
  const stepped = uPlot.paths.stepped?.({ align: 1 })
  return { ...(stepped && { paths: stepped }), points: { show: false } }
}

/** Draws a triangle whose lower edge, or with `isDown` whose upper one, is at a place of the canvas. */
export function drawTriangle(plot: uPlot, at: { readonly x: number; readonly y: number; readonly isDown?: boolean }) {
  const { ctx } = plot
  const size = 4 * devicePixelRatio
  const height = at.isDown ? 2 * size : -2 * size
  ctx.beginPath()
  ctx.moveTo(at.x, at.y + height)
  ctx.lineTo(at.x + size, at.y)
  ctx.lineTo(at.x - size, at.y)
  ctx.fill()
}
