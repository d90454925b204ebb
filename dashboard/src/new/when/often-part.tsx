import { useQuery } from '@tanstack/react-query'
import { ask } from '../../api/client.ts'
import type { Issue } from '../../api/client.ts'
import type { Usage } from '../../api/types.ts'
import { every } from '../../parts/time.tsx'
import controls from '../../style/controls.module.css'
import { FaultLine } from '../form/fault-line.tsx'
import style from '../new.module.css'

const INTERVALS = [60, 300, 900, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400, 604_800]
const MONTH_SECONDS = 30 * 86_400
const count = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })

interface OftenPartProps {
  readonly interval: number
  /** A browser renders the page each time. */
  readonly usesBrowser: boolean
  /** The fetched document does not have the values. */
  readonly needsBrowser: boolean
  readonly issues: readonly Issue[]
  onInterval(seconds: number): void
  onBrowser(uses: boolean): void
}

/** How often it is checked, in what way, and what that costs. */
export function OftenPart({ interval, usesBrowser, needsBrowser, issues, onInterval, onBrowser }: OftenPartProps) {
  const { data } = useQuery({
    queryKey: ['usage'],
    queryFn: ({ signal }) => ask<Usage>('/v1/usage', { signal }),
    staleTime: 60_000,
  })
  const runs = MONTH_SECONDS / interval
  const choices = INTERVALS.includes(interval) ? INTERVALS : [...INTERVALS, interval].toSorted((a, b) => a - b)
  const limit = data?.runs.limit ?? null
  return (
    <>
      <div className={style['line']}>
        <label className={style['line']}>
          Check
          <select
            className={controls['select']}
            value={interval}
            onChange={({ target }) => onInterval(Number(target.value))}
          >
            {choices.map((seconds) => (
              <option key={seconds} value={seconds}>
                {every(seconds)}
              </option>
            ))}
          </select>
        </label>
        <span className={limit !== null && runs > limit ? style['fault'] : style['soft']}>
          {runs < 1 ? 'less than one run' : `${count.format(runs)} runs`} a month
          {limit !== null && `, of ${count.format(limit)} (${count.format(data?.runs.used ?? 0)} are used)`}
        </span>
      </div>
      <FaultLine id="often-fault" issues={issues} path="schedule_interval_seconds" />
      <label className={style['line']}>
        <input type="checkbox" checked={usesBrowser} onChange={({ target }) => onBrowser(target.checked)} />A browser
        opens the page each time
      </label>
      {needsBrowser && (
        <p className={style['soft']}>
          A plain request does not give this value: scripts of the page write it.{' '}
          {usesBrowser
            ? 'It costs the same number of runs. Each takes seconds, and about a thousand times the work.'
            : 'Without a browser the monitor may not find it.'}
        </p>
      )}
      <FaultLine id="browser-fault" issues={issues} path="fetch_mode" />
    </>
  )
}
