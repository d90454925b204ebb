import type { KeyboardEvent, ReactNode } from 'react'
import style from './plot-reader.module.css'

interface PlotReaderProps {
  readonly label: string
  /** Where the cursor stops, in milliseconds, the oldest first. */
  readonly stops: readonly number[]
  /** The stop at which it is; −1: at none. */
  readonly at: number
  /** The numbers at that stop, in words. */
  readonly text: string
  onChoose(at: number | null): void
  readonly children: ReactNode
}

/** A plot whose numbers the arrow keys read, one after the other. */
export function PlotReader({ label, stops, at, text, onChoose, children }: PlotReaderProps) {
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
    onChoose(stops[Math.max(0, Math.min(stops.length - 1, to))] ?? null)
  }
  return (
    <div
      role="slider"
      tabIndex={0}
      className={style['plot']}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={stops.length - 1}
      aria-valuenow={Math.max(0, at)}
      aria-valuetext={text}
      onKeyDown={onKey}
    >
      {children}
    </div>
  )
}
