import { useQuery } from '@tanstack/react-query'
import { ask } from '../../api/client.ts'
import type { Issue } from '../../api/client.ts'
import type { Usage } from '../../api/types.ts'
import { INTERVALS } from '../../parts/intervals.ts'
import { every } from '../../parts/time.tsx'
import controls from '../../style/controls.module.css'
import { FaultLine } from '../form/fault-line.tsx'
import style from '../new.module.css'

const MONTH_SECONDS = 30 * 86_400
const count = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })

interface IntervalFieldProps {
  readonly interval: number
  /** The shortest interval, in seconds. */
  readonly least?: number
  /** How many runs a check uses. */
  readonly runs?: number
  readonly issues: readonly Issue[]
  onInterval(seconds: number): void
}

/** How often it is checked, and what that costs of the month. */
export function IntervalField({ interval, least = 0, runs = 1, issues, onInterval }: IntervalFieldProps) {
  const { data } = useQuery({
    queryKey: ['usage'],
    queryFn: ({ signal }) => ask<Usage>('/v1/usage', { signal }),
    staleTime: 60_000,
  })
  const monthly = (runs * MONTH_SECONDS) / interval
  const known: readonly number[] = INTERVALS.filter((seconds) => seconds >= least)
  const choices = known.includes(interval) ? known : [...known, interval].toSorted((a, b) => a - b)
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
        <span className={limit !== null && monthly > limit ? style['fault'] : style['soft']}>
          {monthly < 1 ? 'less than one run' : `${count.format(monthly)} runs`} a month
          {limit !== null && `, of ${count.format(limit)} (${count.format(data?.runs.used ?? 0)} are used)`}
        </span>
      </div>
      <FaultLine id="often-fault" issues={issues} path="schedule_interval_seconds" />
    </>
  )
}
