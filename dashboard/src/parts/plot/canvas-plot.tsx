import { useEffect, useRef, useSyncExternalStore } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import style from './canvas-plot.module.css'

const HEIGHT = 220

/** What is drawn. Its size, its cursor and its legend are those of every plot. */
interface Drawing {
  readonly options: Omit<uPlot.Options, 'width' | 'height' | 'legend' | 'cursor'>
  readonly data: uPlot.AlignedData
  /** The colour of the point under the cursor. */
  readonly point: string
}

/** Colours by their names, as a canvas takes them. */
export type Paints<Name extends string> = Readonly<Record<Name, string>>

interface CanvasPlotProps<Name extends string> {
  /** The classes whose colours are drawn with. The object stays the same. */
  readonly paints: Readonly<Record<Name, string | undefined>>
  /** Where the cursor is, in milliseconds. Null: nowhere. */
  readonly cursorAt: number | null
  /** Returns what is drawn. Another function draws anew. */
  readonly draw: (paints: Paints<Name>) => Drawing
  onPoint(at: number): void
}

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

/** A plot for the eye, as wide as there is room. What it shows is beside it in words, and in a table. */
export function CanvasPlot<Name extends string>({ paints, cursorAt, draw, onPoint }: CanvasPlotProps<Name>) {
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
    const made = makePlot({ box: at, drawing: draw(colours(at, paints)), onPoint: (instant) => point.current(instant) })
    plot.current = made
    const watch = new ResizeObserver(() => made.setSize({ width: at.clientWidth, height: HEIGHT }))
    watch.observe(at)
    return () => {
      watch.disconnect()
      made.destroy()
      plot.current = null
    }
  }, [draw, paints, theme])
  useEffect(() => {
    const made = plot.current
    if (made === null || cursorAt === null) return
    made.setCursor({ left: made.valToPos(cursorAt / 1000, 'x'), top: 10 }, false)
  }, [cursorAt, draw, theme])
  return (
    <div ref={box} className={style['plot']} aria-hidden="true">
      {Object.entries(paints).map(([name, className]) => (
        <span key={name} hidden className={String(className)} data-paint={name} />
      ))}
    </div>
  )
}

/** A canvas takes no properties of a style sheet, so the colours are those of elements that have them. */
function colours<Name extends string>(box: HTMLElement, paints: CanvasPlotProps<Name>['paints']): Paints<Name> {
  const colourOf = (name: string) => {
    const element = box.querySelector(`[data-paint="${name}"]`)
    return element === null ? '' : getComputedStyle(element).color
  }
  return Object.fromEntries(Object.keys(paints).map((name) => [name, colourOf(name)])) as Paints<Name>
}

interface Made {
  readonly box: HTMLElement
  readonly drawing: Drawing
  onPoint(at: number): void
}

function makePlot({ box, drawing: { options, data, point }, onPoint }: Made): uPlot {
  const made = new uPlot(
    {
      ...options,
      width: box.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 7, fill: point } },
    },
    data,
    box,
  )
  made.over.addEventListener('pointermove', (event) =>
    onPoint(made.posToVal(event.clientX - made.over.getBoundingClientRect().left, 'x') * 1000),
  )
  return made
}
