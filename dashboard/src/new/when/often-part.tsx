import type { Issue } from '../../api/client.ts'
import { FaultLine } from '../form/fault-line.tsx'
import style from '../new.module.css'
import { IntervalField } from './interval-field.tsx'

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
export const OftenPart = ({ interval, usesBrowser, needsBrowser, issues, onInterval, onBrowser }: OftenPartProps) => (
  <>
    <IntervalField interval={interval} issues={issues} onInterval={onInterval} />
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
