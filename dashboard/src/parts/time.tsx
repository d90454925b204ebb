import { useSyncExternalStore } from 'react'
import { serverNow } from '../api/client.ts'

const TICK_MS = 5_000
const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const
const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' })
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** Returns how far an instant is from now, in words. */
function inWords(at: number, now: number): string {
  const seconds = (at - now) / 1000
  for (const [unit, size] of UNITS) if (Math.abs(seconds) >= size) return words.format(Math.trunc(seconds / size), unit)
  if (seconds > 0) return `in ${Math.max(1, Math.round(seconds))} s`
  return 'just now'
}

const tick = (): number => Math.floor(serverNow() / TICK_MS)
function onTick(render: () => void): () => void {
  const timer = setInterval(render, TICK_MS)
  return () => clearInterval(timer)
}

/** An instant, as how far it is from now. The whole of it is shown under a pointer. */
export function Ago({ at }: { readonly at: string }) {
  useSyncExternalStore(onTick, tick)
  const instant = Date.parse(at)
  return (
    <time dateTime={at} title={whole.format(instant)}>
      {inWords(instant, serverNow())}
    </time>
  )
}

/** Returns an interval in words: `every 15 min`. */
export function every(seconds: number): string {
  if (seconds % 86_400 === 0) return seconds === 86_400 ? 'every day' : `every ${seconds / 86_400} days`
  if (seconds === 3_600) return 'every hour'
  if (seconds % 3_600 === 0) return `every ${seconds / 3_600} h`
  if (seconds === 60) return 'every minute'
  return seconds % 60 === 0 ? `every ${seconds / 60} min` : `every ${seconds} s`
}
